import { afterAll } from '@jest/globals';
import type { Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { pino } from 'pino';
import { KeysService } from '../../../src/auth/keys.service.js';
import { Clock } from '../../../src/common/clock.js';
import { Config } from '../../../src/common/config.js';
import { LINES } from '../../../src/common/log.js';
import { createApp } from '../../../src/create-app.js';
import { Database } from '../../../src/database/database.js';
import { createDatabase, databaseDistribution, type TestDatabase } from '../../support/database.js';
import { type Answer, call, type Options } from './client.js';
import { Contract } from './contract.js';
import { deployment } from './deployment.js';
import { rememberLine } from './last-seen.js';

/** Runs until a test sets it. From then on it stands still, so that what happens at an instant can be asked for at it. */
export class MovableClock extends Clock {
  private stoppedAt: number | undefined;

  override now(): number {
    return this.stoppedAt ?? Date.now();
  }

  moveTo(instant: string | number): void {
    this.stoppedAt = new Date(instant).getTime();
  }

  runOn(): void {
    this.stoppedAt = undefined;
  }
}

/** Of all services that run. A test that failed before it stopped its own would otherwise keep Jest from ending. */
const stops = new Set<() => Promise<void>>();
afterAll(async () => {
  for (const stop of [...stops].toReversed()) await stop();
});

interface Requests {
  /** Sends a request without a key. */
  call(method: string, path: string, options?: Options): Promise<Answer>;
  get(path: string, options?: Options): Promise<Answer>;
  post(path: string, body: Options['body'], options?: Options): Promise<Answer>;
  patch(path: string, body: Options['body'], options?: Options): Promise<Answer>;
  delete(path: string, options?: Options): Promise<Answer>;
}

/** The service as main.ts starts it. Every answer is judged by the published document. */
export interface Service extends Requests {
  readonly origin: string;
  readonly app: NestFastifyApplication;
  readonly clock: MovableClock;
  readonly database: TestDatabase;
  readonly key: string;
  /** All log lines so far. */
  readonly log: string[];
  stop(): Promise<void>;
}

/**
 * Starts the service on a free port and a database of its own, or on that of another service. `now` is the initial time
 * of its clock; `features` are samples of the test. Against a deployment, only `origin`, `key` and the requests work.
 */
export async function startService(
  settings: Partial<Config> = {},
  now?: string,
  features: Type[] = [],
  beside?: Service,
): Promise<Service> {
  if (deployment) return frontDoor(deployment);
  const database = beside?.database ?? (await createDatabase());
  const clock = new MovableClock();
  if (now) clock.moveTo(now);
  const log: string[] = [];
  const write = (line: string): void => {
    log.push(line);
    rememberLine(line);
  };
  const own = { databaseUrl: database.url, databaseDistribution };
  const app = await createApp(Object.assign(new Config(), own, settings), {
    clock,
    features,
    logger: pino({ ...LINES, level: 'debug' }, { write }),
  });
  const stop = async (): Promise<void> => {
    if (!stops.delete(stop)) return;
    await app.close();
    if (!beside) await database.drop();
  };
  stops.add(stop);
  await app.listen(0, '127.0.0.1');
  await app.get(Database).ready;
  const key = beside?.key ?? (await app.get(KeysService).issue({ name: 'tests' })).key;
  const origin = await app.getUrl();
  return { origin, app, clock, database, key, log, stop, ...(await requests(origin, key)) };
}

async function frontDoor({ origin, key }: { origin: string; key: string }): Promise<Service> {
  return { origin, key, log: [], async stop() {}, ...(await requests(origin, key)) } as unknown as Service;
}

async function requests(origin: string, key: string): Promise<Requests> {
  const contract = contractOf((await call(origin, 'GET', '/openapi.json')).text);
  const send = async (method: string, path: string, options: Options = {}): Promise<Answer> => {
    const answer = await call(origin, method, path, options);
    contract.check(method, path, answer);
    return answer;
  };
  const withKey = ({ headers, ...options }: Options = {}): Options => ({
    ...options,
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
  const withBody = (body: Options['body'], options?: Options): Options => ({
    ...withKey(options),
    ...(body !== undefined && { body }),
  });
  return {
    call: send,
    get: (path, options) => send('GET', path, withKey(options)),
    post: (path, body, options) => send('POST', path, withBody(body, options)),
    patch: (path, body, options) => send('PATCH', path, withBody(body, options)),
    delete: (path, options) => send('DELETE', path, withKey(options)),
  };
}

/** Compiling a contract takes time, and most services of a file publish the same document. */
const contracts = new Map<string, Contract>();

function contractOf(text: string): Contract {
  const contract = contracts.get(text) ?? new Contract(text);
  contracts.set(text, contract);
  return contract;
}
