import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import pg from 'pg';
import { pino } from 'pino';
import { type Cluster, startCluster } from '../../scripts/support/postgres-cluster.mjs';
import { createApp } from '../../src/app.js';
import { KeysService } from '../../src/auth/keys.service.js';
import { Config } from '../../src/common/config/config.js';
import { Database } from '../../src/database/database.js';
import { Metrics } from '../../src/observability/metrics.js';
import { call } from './support/client.js';
import { binaries, connectionTo, describeWithServers } from './support/own-servers.js';
import { expectAnswer, expectError } from './support/expectations.js';

const UNKNOWN =
  'The database did not answer in time, so the outcome is unknown: send it again under its Idempotency-Key, or look whether it took effect.';
const CANCEL = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;

describeWithServers('A synchronous standby that is missing', () => {
  let cluster: Cluster;
  let direct: pg.Client;
  let other: pg.Client;
  let app: NestFastifyApplication;
  let origin: string;
  let headers: Record<string, string>;
  const log: string[] = [];

  beforeAll(async () => {
    cluster = await startCluster(binaries!, { max_connections: '30' });
    direct = new pg.Client(cluster.url);
    other = new pg.Client(cluster.url);
    await Promise.all([direct.connect(), other.connect()]);
    await direct.query('CREATE TABLE probe ()');
    await direct.query("CREATE ROLE store LOGIN PASSWORD 'store'; GRANT ALL ON SCHEMA public TO store");
    const url = Object.assign(new URL(cluster.url), { username: 'store', password: 'store' }).href;
    app = await createApp(new Config(), {
      connection: connectionTo(url),
      logger: pino({ level: 'warn' }, { write: (line: string) => void log.push(line) }),
    });
    await app.listen(0, '127.0.0.1');
    await app.get(Database).whenReady();
    origin = await app.getUrl();
    const { key } = await app.get(KeysService).issue({ name: 'synchronous' });
    headers = { authorization: `Bearer ${key}` };
    await until('creates succeed', async () => (await create('first')).status === 201);
  }, 30_000);
  afterEach(async () => {
    await configure('RESET synchronous_standby_names');
    await until('creates succeed', async () => (await create('after')).status === 201);
  });
  afterAll(async () => {
    await app.close();
    await Promise.all([direct.end(), other.end()]);
    await cluster.stop();
  });

  const create = (name: string, more?: Record<string, string>) =>
    call(origin, 'POST', '/v1/pets', { headers: { ...headers, ...more }, body: { name, categoryId: 1 } });
  const order = (petId: number, more?: Record<string, string>) =>
    call(origin, 'POST', '/v1/store/orders', { headers: { ...headers, ...more }, body: { petId } });

  /** Reloading takes a moment. */
  async function removeStandby(): Promise<void> {
    await configure("SET synchronous_standby_names = 'missing'");
    let hasWaited = false;
    other.once('notice', () => (hasWaited = true));
    await until('commits wait for a standby', async () => {
      await cancelled(() => other.query('INSERT INTO probe DEFAULT VALUES'));
      return hasWaited;
    });
  }

  async function configure(change: string): Promise<void> {
    await direct.query(`ALTER SYSTEM ${change}`);
    await direct.query('SELECT pg_reload_conf()');
  }

  async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
    for (let attempt = 0; attempt < 200; attempt++) {
      if (await holds()) return;
      await delay(50);
    }
    throw new Error(`Timed out waiting until ${what}: ${log.join('')}`);
  }

  /** Cancels what waits for the standby, until the answer is there. */
  async function cancelled<T>(send: () => Promise<T>): Promise<T> {
    let isAnswered = false;
    const answering = send().finally(() => (isAnswered = true));
    while (!isAnswered) {
      await direct.query(CANCEL);
      await delay(10);
    }
    return answering;
  }

  it.each(['a create', 'several creates', 'a transaction'])(
    'leaves the outcome of %s unknown if the wait for it is cancelled',
    async (what) => {
      const { id } = (await create('to order')).json as { id: number };
      await removeStandby();
      const send = what === 'a transaction' ? () => order(id) : () => create(what);
      const others = what === 'several creates' ? [create(what), create(what)] : [];
      const answers = [await cancelled(send), ...(await Promise.all(others))];
      for (const answer of answers) {
        expectError(answer, 'service_unavailable', UNKNOWN);
        expect(answer.headers['retry-after']).toBe('1');
      }
      const stored = await direct.query(
        what === 'a transaction'
          ? { text: 'SELECT FROM orders WHERE pet_id = $1', values: [id] }
          : { text: 'SELECT FROM pets WHERE name = $1', values: [what] },
      );
      expect(stored.rowCount).toBe(answers.length);
    },
  );

  it.each(['a create', 'a transaction'])(
    'leaves the outcome of %s under an Idempotency-Key unknown, and a repetition tells it once a standby has it',
    async (what) => {
      const { id } = (await create('to order once')).json as { id: number };
      const once = { 'idempotency-key': what.replace(' ', '-') };
      const send = () => (what === 'a transaction' ? order(id, once) : create('once', once));
      await removeStandby();
      expectError(await cancelled(send), 'service_unavailable', UNKNOWN);
      expectError(await cancelled(send), 'service_unavailable', UNKNOWN);
      await configure('RESET synchronous_standby_names');
      const again = await send();
      expect(again.status).toBe(201);
      expect(again.headers['idempotency-replayed']).toBe('true');
    },
  );

  it('is waited for by what finds its change made already', async () => {
    const { id: petId } = (await create('to order')).json as { id: number };
    const { id } = (await order(petId)).json as { id: number };
    const complete = () =>
      call(origin, 'PATCH', `/v1/store/orders/${id}`, { headers, body: { complete: true } });
    const keys = app.get(KeysService);
    const spare = await keys.issue({ name: 'to revoke' });
    const old = await keys.issue({ name: 'to rotate' });
    await removeStandby();
    for (let i = 0; i < 2; i++) {
      expectError(await cancelled(complete), 'service_unavailable', UNKNOWN);
      await expect(cancelled(() => keys.revoke(spare.id))).rejects.toThrow('synchronous replication');
      await expect(cancelled(() => keys.rotate(old.id, 0))).rejects.toThrow('synchronous replication');
    }
    await configure('RESET synchronous_standby_names');
    await until('it is complete', async () => (await complete()).status === 200);
    expect(await keys.revoke(spare.id)).toBe(false);
    expect(await keys.rotate(old.id, 0)).toBeUndefined();
  });

  it('is logged once at its start, with what statements wait for, and once at its end', async () => {
    const lines = () =>
      log.map((line) => (JSON.parse(line) as { msg: string }).msg).filter((msg) => /complete/.test(msg));
    await until('no statement is overdue', () => lines().length % 2 === 0);
    log.length = 0;
    await removeStandby();
    await until('the log has a line', async () => {
      expect((await create('unheard')).status).toBe(503);
      return lines().length > 0;
    });
    for (let i = 0; i < 5; i++) await create('unheard');
    expect(await app.get(Metrics).registry.metrics()).toMatch(/^database_connections_overdue [2-9]$/m);
    expectAnswer(await call(origin, 'GET', '/health/ready'), 200, { status: 'ok' });
    await configure('RESET synchronous_standby_names');
    await until('the log has another line', () => lines().length > 1);
    expect(lines()).toEqual([
      'The database does not complete statements, which are answered 503: wait event IPC/SyncRep',
      expect.stringMatching(/^The database completes statements again, after \d+\.\d s\.$/),
    ]);
  });
});
