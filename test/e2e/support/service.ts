import type { Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { pino } from 'pino';
import { createApp } from '../../../src/app.js';
import { KeysService } from '../../../src/auth/keys.service.js';
import { Clock } from '../../../src/common/clock.js';
import { Config } from '../../../src/common/config/config.js';
import { LINES } from '../../../src/observability/logger.js';
import { Database } from '../../../src/database/database.js';
import { type Answer, call, type Options } from './client.js';
import { Contract } from './contract.js';
import { createDatabase } from './database.js';
import { insistInside } from './insist.js';
import { rememberIfError } from './last-exchange.js';
import { type Deployment, deployment, NeedsTheInside } from './deployment.js';

/** A clock that tests can set. */
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
 * The service as main.ts starts it, with its own database and an ephemeral port. Every answer is checked against the
 * published document.
 */
export interface Service {
  readonly origin: string;
  readonly app: NestFastifyApplication;
  readonly clock: MovableClock;
  readonly key: string;
  /** All log lines so far. */
  readonly log: string[];
  /** Sends a request without a key. */
  call(method: string, path: string, options?: Options): Promise<Answer>;
  get(path: string, options?: Options): Promise<Answer>;
  post(path: string, body: Options['body'], options?: Options): Promise<Answer>;
  patch(path: string, body: Options['body'], options?: Options): Promise<Answer>;
  delete(path: string, options?: Options): Promise<Answer>;
  stop(): Promise<void>;
}

/** Running services. Jest skips the hooks of a file when no test of it is selected; environment.mjs stops these then. */
const running = new Set<() => Promise<void>>();
(globalThis as { runningServices?: typeof running }).runningServices = running;

/** Compiling a contract takes time, and most services of a file publish the same document. */
const contracts = new Map<string, Contract>();

/** `now` is the initial time of the service's clock, also used to issue its key; `features` are samples of the test. */
export async function startService(
  settings: Partial<Config> = {},
  now?: string,
  features: Type[] = [],
): Promise<Service> {
  if (deployment) return frontDoor(deployment, now === undefined && Object.keys(settings).length === 0);
  const database = await createDatabase();
  const clock = new MovableClock();
  if (now) clock.moveTo(now);
  const log: string[] = [];
  const write = (line: string): void => {
    log.push(line);
    rememberIfError(line);
  };
  const app = await createApp(Object.assign(new Config(), settings), {
    clock,
    connection: database.connection,
    features,
    logger: pino({ ...LINES, level: 'debug' }, { write }),
  });
  await app.listen(0, '127.0.0.1');
  await app.get(Database).whenReady();
  const { key } = await insistInside(() => app.get(KeysService).issue({ name: 'tests' }));
  const origin = await app.getUrl();
  const stop = async () => {
    running.delete(stop);
    await app.close();
    await database.drop();
  };
  running.add(stop);
  return { origin, app, clock, key, log, stop, ...requests(origin, key, await contractOf(origin)) };
}

/** A deployment that is already running. A test that needs more than HTTP is skipped. */
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
    patch: (path, body, options) => asked() ?? door.patch(path, body, options),
    delete: (path, options) => asked() ?? door.delete(path, options),
    async stop() {},
  };
}

function requests(
  origin: string,
  key: string,
  contract: Contract,
): Pick<Service, 'call' | 'get' | 'post' | 'patch' | 'delete'> {
  const send = async (method: string, path: string, options: Options = {}): Promise<Answer> => {
    const answer = await call(origin, method, path, options);
    contract.check(method, path, answer);
    return deployment ? withoutOrigin(answer, origin) : answer;
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
    patch: (path, body, options) =>
      send('PATCH', path, { ...withKey(options), ...(body !== undefined && { body }) }),
    delete: (path, options) => send('DELETE', path, withKey(options)),
  };
}

/** A deployment with PUBLIC_URL puts its origin before each path. */
function withoutOrigin(answer: Answer, origin: string): Answer {
  const { location, link } = answer.headers;
  const short = Object.entries({ location, link }).filter(([, value]) => typeof value === 'string');
  for (const [name, value] of short) answer.headers[name] = String(value).replaceAll(origin, '');
  return answer;
}

async function contractOf(origin: string): Promise<Contract> {
  const { text } = await call(origin, 'GET', '/openapi.json');
  const contract = contracts.get(text) ?? new Contract(text);
  contracts.set(text, contract);
  return contract;
}
