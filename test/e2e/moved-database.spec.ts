import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import pg from 'pg';
import { pino } from 'pino';
import { type Cluster, startCluster, startStandby } from '../../scripts/support/postgres-cluster.mjs';
import { createApp } from '../../src/app.js';
import { KeysService } from '../../src/auth/keys.service.js';
import { Config } from '../../src/common/config/config.js';
import { Database } from '../../src/database/database.js';
import { RowParsingClient } from '../../src/database/pg-driver.js';
import { type Answer, call } from './support/client.js';
import { binaries, connectionTo, describeWithServers } from './support/own-servers.js';
import { expectAnswer } from './support/expectations.js';
import { Wire } from './support/wire.js';

const CLOSED = 'connections for which the database has no process';
/** Several heartbeats. */
const BEATS_MS = 1_000;

describeWithServers('When the address of the database leads to another server', () => {
  let former: Cluster;
  /** A promoted standby of the former, which lives on. */
  let latter: Cluster;
  let key: string;
  let wire: Wire;
  let app: NestFastifyApplication;
  let origin: string;
  let log: string[];

  const run = async (server: Cluster, statement: string): Promise<pg.QueryResult> => {
    const client = new pg.Client(server.url);
    await client.connect();
    try {
      return await client.query(statement);
    } finally {
      await client.end();
    }
  };
  const named = async (server: Cluster, name: string): Promise<number> =>
    (await run(server, `SELECT FROM pets WHERE name LIKE '${name}%'`)).rowCount!;
  const until = async (what: string, holds: () => unknown, attempts = 200): Promise<void> => {
    for (let attempt = 0; !(await holds()); attempt++) {
      if (attempt === attempts) throw new Error(`Timed out waiting until ${what}: ${log.join('')}`);
      await delay(50);
    }
  };
  const moves = (): number => log.filter((line) => line.includes(CLOSED)).length;

  const ask = (method: string, path: string, body?: object, more: object = {}): Promise<Answer> =>
    call(origin, method, path, {
      headers: { authorization: `Bearer ${key}`, ...more },
      ...(body && { body: body as Record<string, never> }),
    });
  const create = (name: string, more?: object) => ask('POST', '/v1/pets', { name, categoryId: 1 }, more);
  const underKey = () => ({ 'idempotency-key': randomUUID() });
  /** Uses the connections of every queue and of transactions. */
  const useAll = async (name: string): Promise<void> => {
    for (const more of [{}, underKey()]) {
      const { json } = expectStatus(await create(name, more), 201);
      const { id: petId } = json as { id: number };
      expectAnswer(await ask('GET', `/v1/pets/${petId}`), 200, json);
      expectStatus(await ask('POST', '/v1/store/orders', { petId }), 201);
    }
  };
  const expectStatus = (answer: Answer, status: number): Answer => {
    if (answer.status !== status) throw new Error(`${answer.status}: ${answer.text} ${log.join('')}`);
    return answer;
  };

  const start = async (): Promise<void> => {
    log = [];
    wire = await Wire.to(former.url);
    app = await createApp(new Config(), {
      connection: { ...connectionTo(wire.url), directUrl: former.url },
      logger: pino({ level: 'warn' }, { write: (line: string) => void log.push(line) }),
    });
    await app.listen(0, '127.0.0.1');
    await app.get(Database).whenReady();
    origin = await app.getUrl();
  };
  const stop = async (): Promise<void> => {
    await app.close();
    await wire.close();
  };

  beforeAll(async () => {
    former = await startCluster(binaries!);
    await start();
    ({ key } = await app.get(KeysService).issue({ name: 'moved' }));
    await stop();
    latter = await startStandby(binaries!, former);
    await latter.pgCtl('promote');
  }, 60_000);
  beforeEach(async () => {
    await start();
    await useAll('before');
    const beating = "SELECT FROM pg_stat_activity WHERE query = 'SHOW transaction_read_only'";
    await until('the heartbeat has its connection', async () => (await run(former, beating)).rowCount === 1);
  });
  afterEach(stop);
  afterEach(() => void jest.restoreAllMocks());
  afterAll(async () => {
    for (const server of [latter, former]) await server?.stop();
  });

  /** As servers in containers. */
  async function shareIds(): Promise<void> {
    const { rows } = await run(former, 'SELECT pid FROM pg_stat_activity');
    const theirs = (rows as { pid: number }[]).map(({ pid }) => pid);
    const { prototype } = RowParsingClient;
    const { query } = prototype;
    jest.spyOn(prototype, 'query').mockImplementation(async function share(
      this: pg.Client,
      ...given: unknown[]
    ) {
      const answer = (await (query as (...given: unknown[]) => unknown).apply(this, given)) as pg.QueryResult;
      (answer?.rows?.[0] as { pids?: number[] } | undefined)?.pids?.push(...theirs);
      return answer;
    } as never);
  }

  it.each([
    'all connections follow, and what is under way is stored once or refused',
    'all connections follow, although its processes have the same ids',
  ])(
    '%s',
    async (title) => {
      if (title.endsWith('ids')) await shareIds();
      const [underWay, followed] = [`under way, ${randomUUID()}`, `followed, ${randomUUID()}`];
      const answers: Answer[] = [];
      let isOver = false;
      const caller = async (number: number): Promise<void> => {
        for (let i = 0; !isOver; i++)
          answers.push(await create(`${underWay} ${number}.${i}`, number % 2 ? underKey() : {}));
      };
      const callers = Array.from({ length: 4 }, (_, number) => caller(number));
      try {
        wire.leadTo(latter.url);
        await until('that is noticed', moves, 400);
        await until('requests are answered', async () => (await create('warm')).status === 201);
      } finally {
        isOver = true;
      }
      await Promise.all(callers);
      for (let round = 0; round < 5; round++) await useAll(followed);
      expect([await named(former, followed), await named(latter, followed)]).toEqual([0, 10]);
      expect((await ask('GET', '/health/ready')).status).toBe(200);
      expect(answers.filter(({ status }) => status !== 201 && status !== 503)).toEqual([]);
      const stored: string[] = [];
      for (const server of [former, latter]) {
        const { rows } = await run(server, `SELECT name FROM pets WHERE name LIKE '${underWay}%'`);
        stored.push(...rows.map(({ name }: { name: string }) => name));
      }
      const acknowledged = answers.flatMap(({ status, json }) =>
        status === 201 ? [(json as { name: string }).name] : [],
      );
      const names = new Set(stored);
      expect(acknowledged.filter((name) => !names.has(name))).toEqual([]);
      expect(names.size).toBe(stored.length);
      expect(moves()).toBe(1);
    },
    60_000,
  );

  it('a read-only one changes nothing', async () => {
    await run(latter, 'ALTER SYSTEM SET default_transaction_read_only = on');
    await run(latter, 'SELECT pg_reload_conf()');
    const sessions = async (): Promise<number> => {
      const { rows } = await run(latter, 'SELECT sum(sessions)::int AS count FROM pg_stat_database');
      return (rows as { count: number }[])[0]!.count;
    };
    try {
      wire.leadTo(latter.url);
      const before = await sessions();
      // Each of these questions is a session itself.
      let asked = 1;
      await until('a new connection led there', async () => (await sessions()) > before + asked++, 400);
      await delay(BEATS_MS);
      expect((await create('still here')).status).toBe(201);
      expect((await ask('GET', '/health/ready')).status).toBe(200);
      expect(log).toEqual([]);
    } finally {
      await run(latter, 'ALTER SYSTEM RESET default_transaction_read_only');
      await run(latter, 'SELECT pg_reload_conf()');
    }
  }, 60_000);

  it('a lost connection is closed, and no other', async () => {
    const { rows } = await run(
      former,
      `SELECT pid, client_port FROM pg_stat_activity WHERE query ~ '^SELECT .* FROM "pets"' AND pid <> pg_backend_pid()`,
    );
    const [reader] = rows as { pid: number; client_port: number }[];
    wire.lose(reader!.client_port, 'everything');
    await run(former, `SELECT pg_terminate_backend(${reader!.pid}, 5000)`);
    await until('that is noticed', moves, 400);
    await useAll('others');
    await delay(BEATS_MS);
    expect(log).toEqual([expect.stringContaining('Closed 1 of ')]);
  }, 60_000);

  it('a server that starts anew is no other one', async () => {
    await former.pgCtl('restart', '-m', 'fast');
    await until('requests are answered', async () => (await create('warm')).status === 201);
    await useAll('restarted');
    expect(moves()).toBe(0);
  }, 20_000);
});
