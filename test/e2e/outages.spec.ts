import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import type pg from 'pg';
import { generateKey } from '../../src/auth/key-format.js';
import { KeysService } from '../../src/auth/keys.service.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import type { Answer } from './support/client.js';
import { describeInside, describeOnOneServer } from './support/deployment.js';
import { expectError } from './support/expectations.js';
import { addPet } from './support/resources.js';
import { type Service, startService } from './support/service.js';
import { sendRaw } from './support/socket.js';
import { until } from './support/until.js';
import { Wire } from './support/wire.js';

const UNKNOWN = 'The change was not confirmed: the outcome is unknown.';
const NOTHING = 'The database cannot make the change at the moment. Nothing was stored.';
/** Of every answer while the database is away. */
const MOST_MS = 1_300;

describeInside('An outage of the database', () => {
  let database: TestDatabase;
  let direct: pg.Client;
  let wire: Wire;
  let service: Service;
  let known: string;
  let key: string;
  beforeAll(async () => {
    database = await createDatabase();
    direct = await database.connect();
    wire = await Wire.to(database.url);
    service = await startService({ databaseUrl: wire.url, rateLimitFailures: 1 });
    known = await issue();
    await attempt(known);
  });
  beforeEach(async () => {
    key = await issue(); // else the next look-up of a key could be what a test meets
    await backToNormal();
  });
  afterEach(async () => {
    await wire.join();
    wire.mend();
  });
  afterAll(async () => {
    await direct.end();
    await service.stop();
    await wire.cut();
    await database.drop();
  });

  const issue = async () => (await service.app.get(KeysService).issue({ name: 'outages' })).key;
  const mine = (headers = {}) => ({ headers: { authorization: `Bearer ${key}`, ...headers } });
  /** With an unknown key. Only look-ups that the database answers count against the limit. */
  const attempt = (key = generateKey('test')) =>
    service.get('/v1/pets', { headers: { authorization: `Bearer ${key}` } });
  const list = () => service.get('/v1/pets?limit=1', mine());
  const create = (name: string, headers = {}) => service.post('/v1/pets', { name, categoryId: 1 }, mine(headers));
  const order = () => service.post('/v1/store/orders', { petId: 1 }, mine());
  const ready = () => service.call('GET', '/health/ready');
  const stored = async (name: string) => (await direct.query('SELECT FROM pets WHERE name = $1', [name])).rowCount;
  const isNormal = async () => (await list()).status === 200 && (await create('usual')).status === 201;
  const backToNormal = () => until(async () => (await isNormal()) && (await ready()).status === 200);

  const expectAway = async (answers: Promise<Answer>[], message?: unknown): Promise<void> => {
    const begun = performance.now();
    for (const answer of await Promise.all(answers)) {
      expectError(answer, 'service_unavailable', message);
      expect(answer.headers['retry-after']).toBe('1');
    }
    expect(performance.now() - begun).toBeLessThan(MOST_MS);
  };

  const expectBack = async (): Promise<void> => {
    const begun = performance.now();
    await backToNormal();
    expect(performance.now() - begun).toBeLessThan(2_000);
  };

  it('that is frozen: every answer is 503, in time, and it recovers by itself', async () => {
    wire.freeze();
    const once = () => create('once', { 'idempotency-key': 'once' });
    const crowd = () => Array.from({ length: 5 }, () => [order(), once()]).flat();
    for (let round = 0; round < 3; round++)
      await expectAway([list(), service.get('/v1/pets/1'), create('frozen'), ...crowd(), attempt(), ready()]);
    expect(service.log.join('')).toContain('"reason":"An equal request is still under way"');
    expect((await service.call('GET', '/health/live')).json).toEqual({ status: 'ok' });
    wire.mend();
    await expectBack();
  });

  it('that is frozen: rows that wait for those that are being stored are refused with them', async () => {
    const body = '{"name":"waits","categoryId":1}';
    const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n`;
    const create = `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    const creates = `${create}\r\n${body}`.repeat(299) + `${create}Connection: close\r\n\r\n${body}`;
    // On a busy machine, a round can be late. If the database were asked again for those that wait, every one would be.
    await until(async () => {
      await backToNormal();
      await sendRaw(service.origin, creates); // opens every connection
      wire.freeze();
      const begun = performance.now();
      const received = await sendRaw(service.origin, creates);
      const isInTime = performance.now() - begun < MOST_MS;
      wire.mend();
      expect(received.match(/HTTP\/1\.1 503/g)).toHaveLength(300);
      const sent = received.split('the outcome is unknown').length - 1; // none, if the key had to be looked up first
      expect(sent).toBeLessThan(150);
      return isInTime && sent > 0;
    });
  });

  it('whose answers are lost: the outcome of a change is said to be unknown, of a read not', async () => {
    const statements = (from: number) =>
      String(Buffer.concat(wire.sent.slice(from))).split(/B[^]{1,4}\0statement_/).length - 1;
    wire.loseAnswers();
    let from = wire.sent.length;
    await Promise.all([ready(), ready(), ready(), ready()]);
    expect(statements(from)).toBeLessThan(3); // simultaneous checks share one
    from = wire.sent.length;
    const [created, ...listed] = await Promise.all([create('perhaps'), list(), list(), list(), list(), list()]);
    expectError(created, 'service_unavailable', UNKNOWN);
    for (const each of listed) expectError(each, 'service_unavailable', expect.not.stringContaining('unknown'));
    expect(await stored('perhaps')).toBe(1);
    expect(statements(from)).toBeGreaterThan(3); // on three connections: none waits for another
  });

  it('that breaks a connection, or ends its session: a read is sent again, a change is not', async () => {
    wire.breakAt();
    expect((await list()).status).toBe(200);
    wire.breakAt();
    expect((await ready()).status).toBe(200);
    wire.breakAt();
    expectError(await create('sent once'), 'service_unavailable', UNKNOWN);
    await until(async () => (await stored('sent once')) === 1);
    await until(async () => {
      await direct.query('BEGIN; LOCK TABLE pets IN ACCESS EXCLUSIVE MODE');
      let isOver = false;
      const listed = list().finally(() => (isOver = true));
      const end = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE relation = 'pets'::regclass AND NOT granted";
      await until(async () => isOver || (await direct.query(end)).rowCount! > 0);
      await direct.query('COMMIT');
      return (await listed).status === 200; // unless the machine is too busy to send it in time
    });
    void wire.freezeAt('UPDATE "pets"');
    expectError(await order(), 'service_unavailable', 'The database does not answer. Nothing was stored.');
  });

  it.each([
    ['in the middle', 'in the middle', undefined],
    ['at the end', 'COMMIT', 'true'],
  ])('%s of a change under a key: sent again, it takes effect once', async (name, sent, replayed) => {
    const headers = { 'idempotency-key': randomUUID() };
    const send = () => create(name, headers);
    wire.breakAt(sent);
    expectError(await send(), 'service_unavailable', expect.stringContaining('the outcome is unknown'));
    let answer: Answer;
    await until(async () => (answer = await send()).status === 201);
    expect([answer!.headers['idempotency-replayed'], await stored(name)]).toEqual([replayed, 1]);
    expect((await service.get(String(answer!.headers['location']))).text).toBe(answer!.text);
  });

  it('at the COMMIT of a change under a key: its outcome is unknown, also to a repetition that waits for it', async () => {
    const send = () => create('committed', { 'idempotency-key': 'at-the-commit' });
    const frozen = wire.freezeAt('COMMIT');
    const first = send();
    await frozen;
    await expectAway([first, ...Array.from({ length: 4 }, send)], UNKNOWN);
    wire.mend();
    await until(async () => (await send()).status === 201);
    expect(await stored('committed')).toBe(1);
  });

  it('of one table: what needs it is 503 and stores nothing, and the rest goes on', async () => {
    await addPet(service);
    await direct.query('BEGIN; LOCK TABLE orders IN ACCESS EXCLUSIVE MODE');
    const path = '/v1/store/orders';
    const orders = [service.get(path), order(), service.delete(`${path}/1`)];
    const waiting = "SELECT FROM pg_locks WHERE relation = 'orders'::regclass AND NOT granted";
    await until(async () => (await direct.query(waiting)).rowCount! > 0);
    expect((await create('meanwhile')).status).toBe(201);
    const [listed, ...changed] = await Promise.all(orders);
    await direct.query('COMMIT');
    expectError(listed!, 'service_unavailable');
    for (const answer of changed) expectError(answer, 'service_unavailable', NOTHING);
    expect((await direct.query('SELECT FROM orders')).rowCount).toBe(0);
    expect(service.log.join('\n')).toMatch(/"reason":"canceling statement[^"]*\(\\"orders\\"\)"/);
  });

  describeOnOneServer('one of whose sessions has become read-only', () => {
    it('gives it up after the first change that it refuses', async () => {
      const change = "CHECK (set_config('default_transaction_read_only', 'on', false) = 'on') NOT VALID";
      await direct.query(`ALTER TABLE orders ADD CONSTRAINT read_only ${change}`);
      expect((await order()).status).toBe(201);
      await direct.query('ALTER TABLE orders DROP CONSTRAINT read_only');
      expectError(await order(), 'service_unavailable', 'The database cannot be used. Nothing was stored.');
      expectError(await order(), 'animal_not_available');
    });
  });

  it.each([
    ['has become read-only', 'default_transaction_read_only', 'on', 'off', 'The server is read-only'],
    ['cannot be read', 'role', 'pg_monitor', 'none', 'The role may not read the tables'],
  ])('that %s is not ready until it is not', async (_, setting, bad, good, reason) => {
    for (const [value, status] of Object.entries({ [bad]: 503, [good]: 200 })) {
      const set = `ALTER DATABASE %I SET ${setting} = ${value}`;
      await direct.query(`DO $$ BEGIN EXECUTE format('${set}', current_database()); END $$`);
      const others = 'datname = current_database() AND pid <> pg_backend_pid()';
      await direct.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${others}`);
      await until(async () => (await ready()).status === status && service.log.join('').includes(reason));
    }
    expect(service.log.join('')).toContain(reason);
  });

  it('is logged at its start and at its end, not with each request, and without the password', async () => {
    service.log.length = 0;
    await wire.cut();
    await until(async () => (await ready()).status === 503);
    for (let i = 0; i < 5; i++) await list();
    await wire.join();
    await backToNormal();
    const lines = service.log.map((line) => JSON.parse(line) as { level: number; msg: string });
    expect(lines.filter(({ level }) => level >= 50)).toHaveLength(1);
    expect(lines.some(({ level, msg }) => level < 40 && msg.includes('can be used'))).toBe(true);
    expect(service.log.join('')).not.toContain(new URL(wire.url).password || 'postgres:');
  });

  // Afterwards, no new key is looked up for a minute.
  it('that refuses connections: every answer is 503, in time, and it recovers by itself', async () => {
    await wire.cut();
    service.clock.moveTo(Date.now() + 60_000); // when another use of a key is to be recorded
    for (let round = 0; round < 3; round++) await expectAway([list(), attempt(known), create('cut off'), ready()]);
    await wire.join();
    await expectBack();
    await until(async () => (await attempt()).status === 429);
    expectError(await attempt(await issue()), 'rate_limited');
    expect((await attempt(known)).status).toBe(200); // it was found before, however long ago
    expect(await stored('cut off')).toBe(0);
    expect(service.log.join('\n')).toMatch(/"level":40,[^\n]*"requestId":"[^"]+","reason":"[^"]*ECONNREFUSED/);
  });
});

describeInside('A statement', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createDatabase();
  });
  afterAll(() => database.drop());

  it.each([
    ['has a name', true],
    ['has none behind a pooler, where the next one may run in another session', false],
  ])('%s', async (_, preparedStatements) => {
    const wire = await Wire.to(database.url);
    const keepAlive = jest.spyOn(Socket.prototype, 'setKeepAlive');
    const settings = { databaseUrl: wire.url, databaseDirectUrl: database.url, databasePoolSize: 6 };
    const service = await startService({ ...settings, preparedStatements });
    try {
      const { id } = await addPet(service);
      expect((await service.get(`/v1/pets/${id}`)).status).toBe(200);
      const paths = [`/v1/pets/${id}`, '/v1/pets', '/health/ready'];
      const all = () => [
        service.post('/v1/store/orders', { petId: id }),
        addPet(service),
        ...paths.map((path) => service.get(path)),
      ];
      await Promise.all(Array.from({ length: 40 }, all).flat());
      const ofService = "datname = current_database() AND application_name = 'animal-store'";
      const open = await database.query(`SELECT FROM pg_stat_activity WHERE ${ofService}`);
      expect(open.length).toBeGreaterThan(0);
      expect(open.length).toBeLessThanOrEqual(6); // DATABASE_POOL_SIZE
    } finally {
      await service.stop();
      await wire.cut();
    }
    const sent = Buffer.concat(wire.sent).toString('latin1');
    expect(/statement_\d+\0(?:SELECT|INSERT)/.test(sent)).toBe(preparedStatements);
    const limits = { statement_timeout: 500, lock_timeout: 400, idle_in_transaction_session_timeout: 2_000 };
    for (const [name, ms] of Object.entries(limits)) expect(sent.includes(`${name}\0${ms}\0`)).toBe(preparedStatements);
    expect(sent).not.toContain('pg_try_advisory_lock'); // migrations go past a pooler
    expect(keepAlive).toHaveBeenCalledWith(true, 0);
    keepAlive.mockRestore();
  });
});
