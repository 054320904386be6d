import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import pg from 'pg';
import { pino } from 'pino';
import { DataSource } from 'typeorm';
import { createApp } from '../../src/app.js';
import { KeysService } from '../../src/auth/keys.service.js';
import { Config } from '../../src/common/config/config.js';
import { Database } from '../../src/database/database.js';
import { call } from './support/client.js';
import { createDatabase, describeOnServer, isCluster, type TestDatabase } from './support/database.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { Wire } from './support/wire.js';

const AWAY = 'The database cannot be reached at the moment.';
const BUSY = 'The database is too busy at the moment. Nothing was stored.';
const CANNOT = 'The database cannot do this at the moment. Nothing was stored.';
const UNKNOWN =
  'The database did not answer in time, so the outcome is unknown: send it again under its Idempotency-Key, or look whether it took effect.';

describeOnServer('A database outage', () => {
  let database: TestDatabase;
  let wire: Wire;
  /** The connections of a pooler end on their own. */
  let isPooled: boolean;
  let direct: pg.Client;
  let app: NestFastifyApplication;
  let origin: string;
  let headers: Record<string, string>;
  const log: string[] = [];
  const authority = join(tmpdir(), `outages-${randomUUID()}.pem`);

  beforeAll(async () => {
    database = await createDatabase();
    if (database.connection.kind !== 'server') throw new Error('DATABASE_URL is not set');
    wire = await Wire.to(database.connection.url);
    direct = new pg.Client(database.connection.directUrl);
    isPooled = database.connection.url !== database.connection.directUrl;
    await direct.connect();
    await writeFile(authority, '');
    const url = new URL(wire.url);
    url.search = new URLSearchParams({ sslmode: 'disable', sslrootcert: authority }).toString();
    app = await createApp(new Config(), {
      connection: { ...database.connection, url: url.href },
      logger: pino({ level: 'warn' }, { write: (line: string) => void log.push(line) }),
    });
    await app.listen(0, '127.0.0.1');
    await app.get(Database).whenReady();
    origin = await app.getUrl();
    const { key } = await app.get(KeysService).issue({ name: 'outages' });
    headers = { authorization: `Bearer ${key}` };
    await backToNormal();
  });
  afterEach(async () => {
    wire.mend();
    await backToNormal();
  });
  afterAll(async () => {
    await app.close();
    await wire.close();
    await direct.end();
    await database.drop();
    await rm(authority, { force: true });
  });

  const list = () => call(origin, 'GET', '/v1/pets', { headers });
  const create = (name: string) =>
    call(origin, 'POST', '/v1/pets', { headers, body: { name, categoryId: 1 } });
  const stored = async (name: string) =>
    (await direct.query('SELECT FROM pets WHERE name = $1', [name])).rowCount;
  const ready = () => call(origin, 'GET', '/health/ready');

  /** Without a strict time limit: the drills measure the time. */
  const backToNormal = () => until('requests are answered', async () => (await list()).status === 200);
  const untilRefused = () => until('it is not ready', async () => (await ready()).status === 503);

  async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (let attempt = 0; attempt < 400; attempt++) {
      if (await holds()) return;
      await delay(50);
    }
    throw new Error(`Timed out waiting until ${what}: ${(await list()).text} ${log.join('')}`);
  }

  it('with a frozen server: answers 503, soon without delay, and recovers', async () => {
    wire.freeze();
    const answers = await Promise.all([list(), list(), call(origin, 'GET', '/v1/pets/1', { headers })]);
    for (const answer of answers) {
      expectError(answer, 'service_unavailable');
      expect(answer.headers['retry-after']).toBe('1');
    }
    await untilRefused();
    expectError(await list(), 'service_unavailable', AWAY);
    expectError(await create('refused'), 'service_unavailable', AWAY);
    expectAnswer(await call(origin, 'GET', '/health/live'), 200, { status: 'ok' });
    wire.mend();
    await backToNormal();
    expect((await ready()).status).toBe(200);
    expect(await stored('refused')).toBe(0);
  });

  it('with refused connections: answers 503 and recovers', async () => {
    await wire.cut();
    await untilRefused();
    expectError(await list(), 'service_unavailable', AWAY);
    await wire.join();
    await backToNormal();
    expect((await create('after the cut')).status).toBe(201);
  });

  it('without a file that each connection reads: answers 503, says so, and recovers', async () => {
    await rm(authority);
    log.length = 0;
    await wire.cut();
    await wire.join();
    await untilRefused();
    expectError(await list(), 'service_unavailable', AWAY);
    expect(log.join('')).toContain(`no such file or directory, open '${authority}'`);
    await writeFile(authority, '');
    await backToNormal();
    expect((await create('with the file')).status).toBe(201);
  });

  /** A create that is stored but whose answer is lost. Retries if the lookup of the key was lost instead. */
  async function createUnheard(name: string): Promise<{ answer: ReturnType<typeof create> }> {
    for (let attempt = 0; attempt < 10; attempt++) {
      expect((await create('with a connection that is there')).status).toBe(201);
      wire.loseAnswers();
      const answer = create(`${name} ${attempt}`);
      for (let look = 0; look < 30; look++) {
        if (await stored(`${name} ${attempt}`)) return { answer };
        await delay(5);
      }
      wire.mend();
      await answer;
      await backToNormal();
    }
    throw new Error('No create got through.');
  }

  it('with lost answers: reports that the outcome of a create is unknown', async () => {
    const { answer } = await createUnheard('perhaps');
    expectError(await answer, 'service_unavailable', UNKNOWN);
    expect((await answer).headers['retry-after']).toBe('1');
  });

  it('with a connection lost before the answer: reports that the outcome of a create is unknown', async () => {
    const { answer } = await createUnheard('perhaps too');
    await wire.cut();
    expectError(await answer, 'service_unavailable', UNKNOWN);
    wire.mend();
    await wire.join();
  });

  it('with a locked table: answers 503 and stores nothing', async () => {
    await direct.query('BEGIN; LOCK TABLE pets IN ACCESS EXCLUSIVE MODE');
    const answers = await Promise.all([list(), create('locked out'), create('locked out')]);
    const waiting = "SELECT FROM pg_locks WHERE relation = 'pets'::regclass AND NOT granted";
    await until('no statement waits for the lock', async () => (await direct.query(waiting)).rowCount === 0);
    await direct.query('COMMIT');
    for (const answer of answers) expectError(answer, 'service_unavailable');
    for (const { json } of answers.slice(1)) {
      expect([BUSY, UNKNOWN]).toContain((json as { message: string }).message);
    }
    expect((await list()).status).toBe(200);
    expect(await stored('locked out')).toBe(0);
  });

  it('is not assumed when a single connection breaks', async () => {
    if (isPooled) return;
    const asking = "query = 'SHOW transaction_read_only' AND datname = current_database()";
    const backend = async (): Promise<unknown> =>
      (await direct.query(`SELECT pid FROM pg_stat_activity WHERE ${asking}`)).rows[0]?.pid;
    log.length = 0;
    const before = await backend();
    await direct.query('SELECT pg_terminate_backend($1::int)', [before]);
    await until('the heartbeat reconnects', async () => ![undefined, before].includes(await backend()));
    expect((await ready()).status).toBe(200);
    expect(log.filter((line) => !line.includes('The database is late'))).toEqual([]);
  });

  /** Of a new animal, after which no connection for transactions is there. */
  async function firstOrder(): Promise<() => ReturnType<typeof call>> {
    const { id: petId } = (await create('to order')).json as { id: number };
    const { master } = app.get(DataSource).driver as unknown as { master: pg.Pool };
    const idle = await Promise.all(Array.from({ length: master.options.max }, () => master.connect()));
    for (const client of idle) client.release(true);
    return () => call(origin, 'POST', '/v1/store/orders', { headers, body: { petId } });
  }

  it('whose database takes no more connections: answers 503, and the log says so', async () => {
    if (isPooled || isCluster) return;
    const order = await firstOrder();
    const elsewhere = new pg.Client(process.env['DATABASE_URL']);
    await elsewhere.connect();
    const allow = (on: boolean) =>
      elsewhere.query(`ALTER DATABASE ${direct.database} ALLOW_CONNECTIONS ${on}`);
    log.length = 0;
    await allow(false);
    try {
      expectError(await order(), 'service_unavailable', CANNOT);
      expect(log.join('')).toContain('is not currently accepting connections (55000)');
      expect((await list()).status).toBe(200);
    } finally {
      await allow(true);
      await elsewhere.end();
    }
    expect((await order()).status).toBe(201);
  });

  it.each([
    ['self-signed certificate', ''],
    ['Tenant or user not found', 'XX000'], // of a pooler
  ])('with new connections that fail by "%s": answers 503, and the log says so', async (message, code) => {
    if (isPooled) return;
    const order = await firstOrder();
    const connecting = jest
      .spyOn(pg.Client.prototype, 'connect')
      .mockImplementation(((callback: (error: Error) => void) =>
        callback(
          code ? Object.assign(new pg.DatabaseError(message, 0, 'error'), { code }) : new Error(message),
        )) as never);
    log.length = 0;
    try {
      await until('the log says so', async () => {
        expectError(await order(), 'service_unavailable', AWAY);
        return log.some((line) => line.includes('New connections to the database fail'));
      });
      expect(log.join('')).toContain(message);
      expect(log.join('')).not.toContain('"stack"');
      expect((await list()).status).toBe(200);
    } finally {
      connecting.mockRestore();
    }
    expect((await order()).status).toBe(201);
    expect(log.at(-1)).toContain('New connections to the database are made again.');
  });

  it('ends a connection that nobody listens to, and not the process', async () => {
    if (isPooled) return;
    const { master } = app.get(DataSource).driver as unknown as { master: pg.Pool };
    const client = await master.connect();
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const ended = new Promise<void>((end) => client.once('end', end));
    await direct.query('SELECT pg_terminate_backend($1::int)', [rows[0]?.pid]);
    await ended;
    await expect(client.query('SELECT 1')).rejects.toThrow('not queryable');
    client.release();
    expect((await list()).status).toBe(200);
  });

  it('with commits that take too long: says so once, at the start', async () => {
    if (isCluster) return; // a distributed table has no triggers
    log.length = 0;
    await direct.query(
      `CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.7); RETURN NULL; END $$;
       CREATE CONSTRAINT TRIGGER late AFTER INSERT ON pets DEFERRABLE INITIALLY DEFERRED
       FOR EACH ROW EXECUTE FUNCTION late()`,
    );
    // Isolated, as for a while after a slow batch, they are cancelled before.
    const late = (): string[] =>
      log.filter((line) => /takes longer than 600 ms|refuses statements/.test(line));
    try {
      await until('that is logged', async () => {
        await create('late');
        return late().length > 0;
      });
      await create('late');
    } finally {
      await direct.query('DROP FUNCTION late CASCADE');
    }
    expect(late()).toEqual([expect.stringContaining('such as \\"pets insert')]);
  });

  it('with a query time-out: never reuses the connection that still owes an answer', async () => {
    const dataSource = app.get(DataSource);
    const backend = async (): Promise<unknown> => (await dataSource.query('SELECT pg_backend_pid()'))[0];
    const before = await backend();
    await expect(dataSource.query('SET statement_timeout = 0; SELECT pg_sleep(6)')).rejects.toThrow(
      'Query read timeout',
    );
    expect(await backend()).not.toEqual(before);
  });

  it('is logged once at its start and once at its end', async () => {
    log.length = 0;
    await wire.cut();
    await untilRefused();
    for (let i = 0; i < 5; i++) await list();
    await wire.join();
    await backToNormal();
    const messages = log.map((line) => (JSON.parse(line) as { msg: string }).msg);
    // Late answers of the tests before may end meanwhile.
    expect(messages.filter((message) => !message.startsWith('The database is late'))).toEqual([
      expect.stringMatching(
        /^The database is away; every request that needs it is refused until it is back: /,
      ),
      expect.stringMatching(/^The database is back after \d+\.\d s\.$/),
    ]);
  });
});
