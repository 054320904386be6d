import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { pino } from 'pino';
import { createApp } from '../../../src/app.js';
import { KeysService } from '../../../src/auth/keys.service.js';
import { Clock } from '../../../src/common/clock.js';
import { Config } from '../../../src/common/config/config.js';
import { LINES } from '../../../src/common/logging/logger.js';
import { Database } from '../../../src/database/database.js';
import { type Answer, call, type Options } from './client.js';
import { Contract } from './contract.js';
import { createDatabase } from './database.js';
import { type Deployment, deployment, NeedsTheInside } from './deployment.js';

/** A clock that a test can move. */
export class MovableClock extends Clock {
  private offsetMs = 0;

  now(): Date {
    return new Date(Date.now() + this.offsetMs);
  }

  moveTo(instant: string): void {
    this.offsetMs = new Date(instant).getTime() - Date.now();
  }
}

/**
 * The service as main.ts would start it, on a database of its own and a port that the system chose.
 * Every answer that a test receives is checked against the document that the service publishes.
 */
export interface Service {
  readonly origin: string;
  readonly app: NestFastifyApplication;
  readonly clock: MovableClock;
  readonly key: string;
  /** Everything that was logged so far. */
  readonly log: string[];
  /** Sends a request without a key. */
  call(method: string, path: string, options?: Options): Promise<Answer>;
  get(path: string, options?: Options): Promise<Answer>;
  post(path: string, body: Options['body'], options?: Options): Promise<Answer>;
  stop(): Promise<void>;
}

/** What runs by now. When none of a file's tests is asked for, its hooks do not run: environment.mjs stops the rest. */
const running = new Set<() => Promise<void>>();
(globalThis as { runningServices?: typeof running }).runningServices = running;

/** A document's judge takes time to make, and services of one file mostly publish the same one. */
const contracts = new Map<string, Contract>();

/** `now` is what the clock of the service says when it starts, and the day on which its key is issued. */
export async function startService(settings: Partial<Config> = {}, now?: string): Promise<Service> {
  if (deployment) return frontDoor(deployment, now === undefined && Object.keys(settings).length === 0);
  const database = await createDatabase();
  const clock = new MovableClock();
  if (now) clock.moveTo(now);
  const log: string[] = [];
  const app = await createApp(Object.assign(new Config(), settings), {
    clock,
    connection: database.connection,
    logger: pino({ ...LINES, level: 'debug' }, { write: (line: string) => void log.push(line) }),
  });
  await app.listen(0, '127.0.0.1');
  await app.get(Database).whenReady();
  const { key } = await app.get(KeysService).issue({ name: 'tests' });
  const origin = await app.getUrl();
  const stop = async () => {
    running.delete(stop);
    await app.close();
    await database.drop();
  };
  running.add(stop);
  return { origin, app, clock, key, log, stop, ...requests(origin, key, await contractOf(origin)) };
}

/** A service that runs elsewhere. Whatever a test wants beyond requests and answers makes it a skipped test. */
async function frontDoor({ origin, key }: Deployment, asItIs: boolean): Promise<Service> {
  const needs = (what: string): never => {
    throw new NeedsTheInside(`needs ${what}`);
  };
  const asked = () => (asItIs ? undefined : needs('a service with other settings, or on another day'));
  const door = requests(origin, key, await contractOf(origin));
  return {
    get origin() {
      return asked() ?? origin;
    },
    get key() {
      return asked() ?? key;
    },
    get app() {
      return needs('the application itself');
    },
    get clock() {
      return needs('a clock that it can move');
    },
    get log() {
      return needs('the log');
    },
    call: (method, path, options) => asked() ?? door.call(method, path, options),
    get: (path, options) => asked() ?? door.get(path, options),
    post: (path, body, options) => asked() ?? door.post(path, body, options),
    async stop() {},
  };
}

function requests(origin: string, key: string, contract: Contract): Pick<Service, 'call' | 'get' | 'post'> {
  const send = async (method: string, path: string, options: Options = {}): Promise<Answer> => {
    const answer = await call(origin, method, path, options);
    contract.check(method, path, answer);
    return answer;
  };
  const withKey = (options: Options = {}): Options => ({
    ...options,
    headers: { authorization: `Bearer ${key}`, ...options.headers },
  });
  return {
    call: send,
    get: (path, options) => send('GET', path, withKey(options)),
    post: (path, body, options) =>
      send('POST', path, { ...withKey(options), ...(body !== undefined && { body }) }),
  };
}

async function contractOf(origin: string): Promise<Contract> {
  const { text } = await call(origin, 'GET', '/openapi.json');
  const contract = contracts.get(text) ?? new Contract(text);
  contracts.set(text, contract);
  return contract;
}
