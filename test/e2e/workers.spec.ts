import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { createApp } from '../../src/app.js';
import { generateKey } from '../../src/auth/key-format.js';
import { KeysService } from '../../src/auth/keys.service.js';
import { Config } from '../../src/common/config/config.js';
import { Database } from '../../src/database/database.js';
import { LIMITS } from '../../src/edge/limits.js';
import { call } from './support/client.js';
import { createDatabase, describeOnServer, type TestDatabase } from './support/database.js';
import { isRunning, Supervised } from './support/supervised.js';

const CONNECTIONS = 8;

type Outcome = number | string;

/** Sends requests on kept-alive connections, one for each client, until it is stopped. Nothing is tried again. */
function load(origin: string, key: string) {
  const clients = Array.from({ length: CONNECTIONS }, (): Outcome[] => []);
  const headers = { authorization: `Bearer ${key}` };
  let stopped = false;
  const ask = (agent: Agent): Promise<Outcome> =>
    new Promise((resolve) => {
      request(`${origin}/v1/pets`, { agent, headers }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
        answer.on('error', (error) => resolve(error.message));
      })
        .on('error', (error) => resolve(error.message))
        .end();
    });
  const all = clients.map(async (outcomes) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!stopped) {
      outcomes.push(await ask(agent));
      await pause(5);
    }
    agent.destroy();
  });
  return {
    clients,
    async stop(): Promise<Outcome[][]> {
      stopped = true;
      await Promise.all(all);
      return clients;
    },
  };
}

async function startedBeside(service: Supervised, known: readonly number[]): Promise<number> {
  for (;;) {
    const pid = service.workers.find((worker) => !known.includes(worker));
    if (pid !== undefined) return pid;
    await pause(5);
  }
}

async function freeze(worker: number): Promise<void> {
  // Before it runs its own code, its parent waits for it.
  while (!runsMain(worker)) await pause(5);
  process.kill(worker, 'SIGSTOP');
}

/** The children of a start may also be those of a build, which end. */
function runsMain(worker: number): boolean {
  const path = `/proc/${worker}/cmdline`;
  return existsSync(path) && readFileSync(path, 'utf8').includes('main.js');
}

/** Resolves when the primary knows. */
async function kill(service: Supervised, worker: number): Promise<void> {
  if (service.workers.includes(worker)) process.kill(worker, 'SIGKILL');
  while (service.workers.includes(worker)) await pause(5);
}

function addressesOf({ connection }: TestDatabase): NodeJS.ProcessEnv {
  if (connection.kind !== 'server') throw new Error('The embedded database has no address.');
  return { DATABASE_URL: connection.url, DATABASE_DIRECT_URL: connection.directUrl };
}

describeOnServer('Two workers', () => {
  let database: TestDatabase;
  let settings: NodeJS.ProcessEnv;
  let key: string;
  const launched = new Set<Supervised>();
  let traffic: ReturnType<typeof load> | undefined;

  beforeAll(async () => {
    database = await createDatabase();
    settings = { ...addressesOf(database), SHUTDOWN_DRAIN_MS: '2500' };
    const app = await createApp(new Config(), {
      connection: database.connection,
      logger: pino({ level: 'silent' }),
    });
    await app.get(Database).whenReady();
    ({ key } = await app.get(KeysService).issue({ name: 'workers' }));
    await app.close();
  }, 60_000);
  afterEach(async () => {
    await traffic?.stop();
    for (const service of launched) await service.stop();
    launched.clear();
  });
  afterAll(() => database.drop());

  const launch = async (more: NodeJS.ProcessEnv = {}): Promise<Supervised> => {
    const service = await Supervised.launch({ ...settings, ...more });
    launched.add(service);
    return service;
  };
  const start = async (more?: NodeJS.ProcessEnv) => (await launch(more)).ready();
  const get = (service: Supervised, bearer = key) =>
    call(service.origin, 'GET', '/v1/pets', { headers: { authorization: `Bearer ${bearer}` } });

  it('both serve, announce themselves once, and have one page of metrics', async () => {
    const service = await start();
    const answers = await Promise.all(Array.from({ length: 20 }, () => get(service)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await service.metric('http_requests_total{')).toBe(20);
    expect(await service.metric('http_request_duration_seconds_count{')).toBe(20);
    expect(await service.metric('database_up')).toBe(1);
    expect(await service.metric('build_info{')).toBe(1);
    expect(await service.metric('process_start_time_seconds')).toBeLessThan(Date.now() / 1000 + 60);
    expect(await service.metric('nodejs_eventloop_lag_p99_seconds')).toBeLessThan(10);
    expect(service.messages('The animal store listens')).toHaveLength(1);
    const served = () => new Set(service.lines.filter(({ route }) => route).map(({ worker }) => worker));
    while (served().size < 2) expect((await get(service)).status).toBe(200);
    expect(served()).toEqual(new Set([1, 2]));
  }, 60_000);

  it('migrate an empty database once', async () => {
    const empty = await createDatabase();
    const service = await start(addressesOf(empty));
    const migrated = service.messages('Migrated the database').map(({ worker }) => worker);
    await service.stop();
    await empty.drop();
    expect(migrated).toEqual([1]);
  }, 60_000);

  it('hold limits together, of requests and of failed authentications', async () => {
    const service = await start({ RATE_LIMIT_PER_KEY: '30', RATE_LIMIT_FAILURES: '10' });
    const answers = await Promise.all(Array.from({ length: 50 }, () => get(service)));
    const passed = answers.filter(({ status }) => status === 200);
    expect(passed).toHaveLength(30);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
    const left = passed.map(({ headers }) => /r=(\d+)/.exec(String(headers['ratelimit']))?.[1]);
    expect(new Set(left)).toEqual(new Set(Array.from({ length: 30 }, (_, i) => String(i))));
    const guesses = Array.from({ length: 30 }, () => get(service, generateKey('test')));
    const refused = (await Promise.all(guesses)).map(({ status }) => status);
    expect(refused.filter((status) => status === 401)).toHaveLength(10);
    expect(refused.filter((status) => status === 429)).toHaveLength(20);
  }, 60_000);

  it('are replaced when they die, without a failure on connections to the others or totals that fall', async () => {
    const service = await start();
    const before = service.workers;
    traffic = load(service.origin, key);
    while (traffic.clients.some((outcomes) => outcomes.length < 20)) await pause(20);
    const counted = await service.metric('http_requests_total{');
    process.kill(before[0]!, 'SIGKILL');
    await service.says('A worker ended and is replaced.');
    // Until then, new connections may be given to the worker that is gone. One request of each client is under way.
    const known = traffic.clients.map(({ length }) => length + 1);
    expect(await service.metric('http_requests_total{')).toBeGreaterThanOrEqual(counted);
    while (service.messages('Server listening').length < 3) await pause(20);
    const failed = (outcome: Outcome): boolean => outcome !== 200;
    const outcomes = await traffic.stop();
    expect(outcomes.map((all, i) => all.slice(known[i]).filter(failed))).toEqual(outcomes.map(() => []));
    expect(outcomes.filter((all) => !all.some(failed))).not.toHaveLength(0);
    expect(service.workers).toHaveLength(2);
    expect(service.workers).not.toContain(before[0]);
    expect(service.workers).toContain(before[1]);
  }, 60_000);

  it('leave no connection open that they have not taken when they die', async () => {
    const service = await start();
    const stopped = service.workers;
    for (const worker of stopped) process.kill(worker, 'SIGSTOP');
    const before = service.sockets;
    // Each worker is given one.
    const asked = Array.from({ length: 2 }, () => get(service).then(({ status }) => status, String));
    while (service.sockets < before + 2) await pause(20);
    for (const worker of stopped) process.kill(worker, 'SIGKILL');
    expect((await Promise.all(asked)).filter((outcome) => outcome === 200)).toEqual([]);
  }, 60_000);

  it('leave few connections of an address waiting, let others wait beside them, and serve both', async () => {
    const service = await start();
    const [stopped, port] = [service.workers, Number(new URL(service.origin).port)];
    for (const worker of stopped) process.kill(worker, 'SIGSTOP');
    const sockets: Socket[] = [];
    let refused = 0;
    const open = (localAddress: string, onClose: () => void) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      sockets.push(socket.on('error', () => {}).on('close', onClose));
      return socket;
    };
    let others: Promise<number>[];
    try {
      while (refused < 50 && sockets.length < LIMITS.backlog + 500) {
        const more = Array.from({ length: 50 }, () => open('127.0.0.2', () => refused++));
        await Promise.race([once(more[0]!, 'connect'), once(more[0]!, 'close')]);
      }
      while (refused === 0 || sockets.length - refused > LIMITS.backlog / 3 + stopped.length) await pause(20);
      others = Array.from({ length: 20 }, () => get(service).then(({ status }) => status));
      await pause(200);
    } finally {
      for (const worker of stopped) process.kill(worker, 'SIGCONT');
      for (const socket of sockets) socket.destroy();
    }
    expect(new Set(await Promise.all(others))).toEqual(new Set([200]));
    expect(await service.metric('http_connections_closed_total{reason="queued"')).toBeGreaterThan(0);
  }, 60_000);

  it('are renewed by SIGHUP without a failed request, and the service stays ready', async () => {
    const service = await start();
    const before = service.workers;
    traffic = load(service.origin, key);
    const probes: number[] = [];
    service.signal('SIGHUP');
    while (service.messages('The workers are renewed.').length === 0) {
      probes.push((await call(service.origin, 'GET', '/health/ready')).status);
      await pause(20);
    }
    const outcomes = await traffic.stop();
    expect(new Set(outcomes.flat())).toEqual(new Set([200]));
    expect(new Set(probes)).toEqual(new Set([200]));
    expect(service.workers).toHaveLength(2);
    for (const pid of before) expect(isRunning(pid)).toBe(false);
    expect(await service.metric('http_requests_total{')).toBeGreaterThan(0);
  }, 90_000);

  it('are two after a renewal during which one dies', async () => {
    const service = await start();
    const before = service.workers;
    service.signal('SIGHUP');
    const successor = await startedBeside(service, before);
    await freeze(successor);
    await kill(service, before[0]!);
    process.kill(successor, 'SIGCONT');
    await service.says('The workers are renewed.');
    expect(service.workers).toHaveLength(2);
    for (const pid of before) expect(service.workers).not.toContain(pid);
  }, 90_000);

  it('are renewed by SIGHUP also if they are still starting', async () => {
    const service = await start();
    const before = service.workers;
    await kill(service, before[0]!);
    const starting = await startedBeside(service, before);
    await freeze(starting);
    service.signal('SIGHUP');
    await startedBeside(service, [...before, starting]);
    process.kill(starting, 'SIGCONT');
    await service.says('The workers are renewed.');
    expect(service.workers).toHaveLength(2);
    for (const pid of [...before, starting]) expect(service.workers).not.toContain(pid);
  }, 90_000);

  it('end together on SIGTERM, after reporting not ready', async () => {
    const service = await start();
    const { workers } = service;
    // A supervisor may signal every process of the service.
    for (const pid of [...workers, service.pid]) process.kill(pid, 'SIGTERM');
    while ((await call(service.origin, 'GET', '/health/ready', { once: true })).status !== 503)
      await pause(20);
    expect((await get(service)).status).toBe(200);
    expect(await service.ended).toBe(0);
    for (const pid of workers) expect(isRunning(pid)).toBe(false);
  }, 60_000);

  it.each([
    ['starting', 0],
    ['being renewed', 2],
  ])(
    'end in time on SIGTERM while %s',
    async (_what, present) => {
      const service = await (present > 0 ? start() : launch());
      if (present > 0) service.signal('SIGHUP');
      while (service.workers.length <= present) await pause(5);
      service.signal('SIGTERM');
      expect(await service.ended).toBe(0);
    },
    60_000,
  );

  it('ignore the signals for which Node.js opens a debugger or ends', async () => {
    const service = await start();
    for (const pid of [...service.workers, service.pid]) {
      for (const signal of ['SIGUSR1', 'SIGUSR2']) process.kill(pid, signal);
    }
    await service.says('The signal is ignored.', 6);
    expect((await get(service)).status).toBe(200);
    expect(service.err).not.toContain('Debugger');
  }, 60_000);

  it('end at once when the primary is killed', async () => {
    const service = await start();
    const { workers } = service;
    service.signal('SIGKILL');
    await service.ended;
    while (workers.some(isRunning)) await pause(20);
    expect(workers).toHaveLength(2);
  }, 60_000);

  it('end the service, with the reason, when they die again and again', async () => {
    const service = await start();
    let kills = 0;
    while (service.messages('Workers end again and again').length === 0) {
      const [oldest] = service.workers;
      if (oldest !== undefined && isRunning(oldest)) {
        process.kill(oldest, 'SIGKILL');
        await service.says('A worker ended', ++kills).catch(() => {});
      }
      await pause(10);
    }
    expect(service.messages('Workers end again and again')[0]).toMatchObject({
      level: 60,
      signal: 'SIGKILL',
      code: null,
      deaths: 7,
    });
    expect(await service.ended).toBe(1);
  }, 120_000);
});

describe('WORKERS=2', () => {
  const launched = new Set<Supervised>();
  afterEach(async () => {
    for (const service of launched) await service.stop();
  });
  const launch = async (settings: NodeJS.ProcessEnv): Promise<Supervised> => {
    const service = await Supervised.launch({ DATABASE_URL: 'postgres://x:x@127.0.0.1:1/x', ...settings });
    launched.add(service);
    return service;
  };

  it('is refused on the embedded database', async () => {
    const service = await launch({ DATABASE_URL: '', DATABASE_DIRECT_URL: '', DATABASE_DISTRIBUTION: '' });
    expect(await service.ended).toBe(1);
    expect(service.out).toBe('');
    expect(service.err).toBe(
      'The configuration is not valid:\n' +
        '  - WORKERS must be 1 or auto on the embedded database, which one process opens: set DATABASE_URL for more\n',
    );
  }, 60_000);

  it('says so when a worker is killed as it starts', async () => {
    const service = await launch({});
    let starting: number | undefined;
    for (; starting === undefined; await pause(5)) starting = service.workers.find(runsMain);
    process.kill(starting, 'SIGKILL');
    expect(await service.ended).toBe(1);
    expect(service.out).toContain('A worker was killed as it started; the service exits.');
  }, 60_000);

  it.each(['PORT', 'METRICS_PORT'])(
    'reports a %s in use once',
    async (name) => {
      const other = createServer();
      await once(other.listen(0, '127.0.0.1'), 'listening');
      const { port } = other.address() as { port: number };
      const service = await launch({ [name]: String(port) });
      expect(await service.ended).toBe(1);
      await once(other.close(), 'close');
      expect(service.err.match(/EADDRINUSE/g)).toHaveLength(1);
      expect(service.err).toContain(`127.0.0.1:${port}`);
    },
    60_000,
  );

  it('reports a wrong setting of a feature once', async () => {
    const service = await launch({ GETPET_SUNSET_ON: 'soon' });
    expect(await service.ended).toBe(1);
    expect(service.out).toBe('');
    expect(service.err).toBe(
      'The configuration is not valid:\n  - GETPET_SUNSET_ON must be a day such as 2030-12-05\n',
    );
  }, 60_000);
});
