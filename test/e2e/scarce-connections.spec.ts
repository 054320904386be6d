import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import pg from 'pg';
import { pino } from 'pino';
import { createApp } from '../../src/app.js';
import { KeysService } from '../../src/auth/keys.service.js';
import { Config } from '../../src/common/config/config.js';
import { Database } from '../../src/database/database.js';
import { QUEUE_CONNECTIONS } from '../../src/database/limits.js';
import { call } from './support/client.js';
import { createDatabase, describeOnOneServer, type TestDatabase } from './support/database.js';

const HEARTBEAT = 'SHOW transaction_read_only';

describeOnOneServer('When the server has no connections to spare', () => {
  let database: TestDatabase;
  let direct: pg.Client;
  let app: NestFastifyApplication;
  let role: string;
  let ask: (method: string, path: string, more?: Record<string, string>) => Promise<number>;
  const log: string[] = [];

  beforeEach(async () => {
    database = await createDatabase();
    if (database.connection.kind !== 'server') throw new Error('DATABASE_URL is not set');
    direct = new pg.Client(database.connection.directUrl);
    await direct.connect();
    // Connection limits do not apply to superusers.
    role = `scarce_${process.pid}_${Date.now()}`;
    await direct.query(`CREATE ROLE ${role} LOGIN PASSWORD 'scarce'; GRANT ALL ON SCHEMA public TO ${role}`);
    const url = Object.assign(new URL(database.connection.directUrl), { username: role, password: 'scarce' });
    log.length = 0;
    app = await createApp(new Config(), {
      connection: { ...database.connection, url: url.href, directUrl: url.href },
      logger: pino({ level: 'warn' }, { write: (line: string) => void log.push(line) }),
    });
    await app.listen(0, '127.0.0.1');
    await app.get(Database).whenReady();
    const origin = await app.getUrl();
    const { key } = await app.get(KeysService).issue({ name: 'scarce' });
    const headers = { authorization: `Bearer ${key}` };
    ask = async (method, path, more) => {
      const body = method === 'POST' ? { body: { name: 'Scarce', categoryId: 1 } } : {};
      return (await call(origin, method, path, { headers: { ...headers, ...more }, ...body })).status;
    };
    await until(async () => (await ask('POST', '/v1/pets')) === 201);
    await until(async () => (await backends(`query = '${HEARTBEAT}'`)).length === 1);
  });
  afterEach(async () => {
    await app.close();
    await direct.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
    await direct.end();
    await database.drop();
  });

  const backends = async (condition = 'true'): Promise<number[]> => {
    const text = `SELECT pid FROM pg_stat_activity WHERE usename = $1 AND ${condition}`;
    const { rows } = await direct.query<{ pid: number }>(text, [role]);
    return rows.map(({ pid }) => pid);
  };
  const end = async (pids: number[]): Promise<void> => {
    for (const pid of pids) await direct.query('SELECT pg_terminate_backend($1, 5000)', [pid]);
  };
  const limitConnections = (limit: number) => direct.query(`ALTER ROLE ${role} CONNECTION LIMIT ${limit}`);
  const until = async (holds: () => Promise<boolean>): Promise<void> => {
    for (let attempt = 0; !(await holds()); attempt++) {
      if (attempt === 100) throw new Error(`The condition never held: ${log.join('')}`);
      await delay(50);
    }
  };
  const everything = async (): Promise<number[]> => [
    await ask('GET', '/v1/pets'),
    await ask('POST', '/v1/pets'),
    await ask('GET', '/health/ready'),
  ];

  it('a heartbeat without a connection is no outage, with or without traffic', async () => {
    await limitConnections(0);
    await end(await backends(`query = '${HEARTBEAT}'`));
    for (let i = 0; i < 10; i++, await delay(100)) expect(await everything()).toEqual([200, 201, 200]);
    await delay(1_500);
    expect(await everything()).toEqual([200, 201, 200]);
    expect(log.filter((line) => line.includes('away'))).toEqual([]);
  });

  it('the queues get the remaining ones', async () => {
    await limitConnections(QUEUE_CONNECTIONS.read + QUEUE_CONNECTIONS.write);
    await end(await backends());
    const isNormal = async () => (await everything()).join() === '200,201,200';
    await until(isNormal);
    for (let i = 0; i < 10; i++, await delay(100)) expect(await everything()).toEqual([200, 201, 200]);
  });

  it('the log says why creates with an Idempotency-Key get none', async () => {
    await limitConnections(QUEUE_CONNECTIONS.read + QUEUE_CONNECTIONS.write);
    await end(await backends());
    await until(async () => (await everything()).join() === '200,201,200');
    await until(async () => (await ask('POST', '/v1/pets', { 'idempotency-key': randomUUID() })) === 503);
    expect(log.filter((line) => line.includes('refuses')).join()).toContain(
      `which are answered 503: too many connections for role \\"${role}\\" (53300)`,
    );
  });
});
