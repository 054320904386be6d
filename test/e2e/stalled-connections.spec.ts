import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import pg from 'pg';
import { pino } from 'pino';
import { type Cluster, startCluster } from '../../scripts/support/postgres-cluster.mjs';
import { createApp } from '../../src/app.js';
import { KeysService } from '../../src/auth/keys.service.js';
import { Config } from '../../src/common/config/config.js';
import { Database } from '../../src/database/database.js';
import { call } from './support/client.js';
import { binaries, connectionTo, describeWithServers } from './support/own-servers.js';
import { expectError } from './support/expectations.js';
import { Wire } from './support/wire.js';

/** Those that are measured end with a ROLLBACK. Through a pooler, a mark comes first. */
const OF_READS = `usename = 'store' AND query ~ '^(/[*].*[*]/ )?(SELECT .* FROM "(pets|api_keys|orders)"|ROLLBACK$)'`;

describeWithServers('When connections never answer again', () => {
  let cluster: Cluster;
  let wire: Wire;
  let direct: pg.Client;
  let app: NestFastifyApplication;
  let origin: string;
  let headers: Record<string, string>;
  /** Of a key that no reads were slow for. */
  let othersHeaders: Record<string, string>;
  const suspended: number[] = [];
  const log: string[] = [];

  beforeAll(async () => {
    cluster = await startCluster(binaries!);
    direct = new pg.Client(cluster.url);
    await direct.connect();
    await direct.query("CREATE ROLE store LOGIN PASSWORD 'store'; GRANT ALL ON SCHEMA public TO store");
    wire = await Wire.to(Object.assign(new URL(cluster.url), { username: 'store', password: 'store' }).href);
    app = await createApp(new Config(), {
      connection: connectionTo(wire.url),
      logger: pino({ level: 'warn' }, { write: (line: string) => void log.push(line) }),
    });
    await app.listen(0, '127.0.0.1');
    await app.get(Database).whenReady();
    origin = await app.getUrl();
    const { key } = await app.get(KeysService).issue({ name: 'stalled' });
    headers = { authorization: `Bearer ${key}` };
    const other = await app.get(KeysService).issue({ name: 'other' });
    othersHeaders = { authorization: `Bearer ${other.key}` };
    await until('a list succeeds', async () => (await list()).status === 200);
  }, 30_000);
  afterAll(async () => {
    for (const pid of suspended) process.kill(pid, 'SIGCONT');
    await app.close();
    await direct.end();
    await wire.close();
    await cluster.stop();
  });

  const list = (path = '/v1/pets', by = headers) => call(origin, 'GET', path, { headers: by, once: true });
  const create = () =>
    call(origin, 'POST', '/v1/pets', { headers, body: { name: 'Rex', categoryId: 1 }, once: true });
  const ready = async () => (await call(origin, 'GET', '/health/ready')).status;
  const messages = () => log.map((line) => (JSON.parse(line) as { msg: string }).msg).join('\n');

  async function until(what: string, holds: () => unknown, seconds = 20): Promise<void> {
    for (const end = performance.now() + seconds * 1_000; performance.now() < end; await delay(20)) {
      if (await holds()) return;
    }
    throw new Error(`Timed out waiting until ${what}: ${messages()}`);
  }

  const sessions = async (condition: string) => {
    const found = `SELECT pid, client_port FROM pg_stat_activity WHERE ${condition} ORDER BY query_start DESC`;
    return (await direct.query<{ pid: number; client_port: number }>(found)).rows;
  };

  it.each(['everything', 'answers'] as const)(
    'because %s is lost, others take their places',
    async (lost) => {
      for (let i = 0; i < 2; i++) {
        await until('a list succeeds', async () => (await list()).status === 200);
        const [reader] = await sessions(OF_READS);
        wire.lose(reader!.client_port, lost);
        expectError(await list(), 'service_unavailable');
      }
      await until('a list succeeds', async () => (await list()).status === 200);
      expect(await ready()).toBe(200);
      expect(messages()).toMatch(/^Dead connections to the database are closed/m);
    },
  );

  it('because those of writes and of the heartbeat are lost, others take their places', async () => {
    const reading = setInterval(() => void list(), 50); // the server answers others
    await until('the heartbeat has a connection', async () => {
      const [heartbeat] = await sessions(`query = 'SHOW transaction_read_only'`);
      if (heartbeat) wire.lose(heartbeat.client_port, 'everything');
      return heartbeat;
    });
    for (let i = 0; i < 2; i++) {
      await until('a create succeeds', async () => (await create()).status === 201);
      const [writer] = await sessions(`usename = 'store' AND query ~ 'INSERT INTO "pets"|COMMIT$'`);
      wire.lose(writer!.client_port, 'everything');
      expectError(await create(), 'service_unavailable');
    }
    await until('a create succeeds', async () => (await create()).status === 201);
    clearInterval(reading);
  });

  /** While it waits for a lock, so that it does not seem to wait for the client. It keeps the lock that it gets. */
  async function suspendReader(table: string, path: string, by = headers): Promise<void> {
    await direct.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    await until('a read waits for the lock', async () => {
      void list(path, by);
      const waiting = await sessions(`${OF_READS} AND wait_event_type = 'Lock'`);
      const reader = waiting.find(({ pid }) => !suspended.includes(pid));
      if (!reader) return false;
      suspended.push(reader.pid);
      return process.kill(reader.pid, 'SIGSTOP');
    });
    await direct.query('COMMIT');
  }

  it('because their server processes hang, others take their places after a while, and until then it is not ready', async () => {
    await suspendReader('pets', '/v1/pets');
    await until('a list succeeds', async () => (await list()).status === 200);
    await suspendReader('orders', '/v1/store/orders', othersHeaders);
    await until('it is not ready', async () => (await ready()) === 503);
    await until('a list succeeds', async () => (await list()).status === 200, 15);
    await until('it is ready', async () => (await ready()) === 200);
    expect(messages()).toMatch(/The database does not complete statements.*: wait event/);
  }, 40_000);
});
