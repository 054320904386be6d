import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Duplex } from 'node:stream';
import type { Client, Pool, PoolClient } from 'pg';
import { startEmptyDatabase } from '../../../test/support/empty-database.js';
import type { EmbeddedDatabase } from './embedded-database.js';
import type { PgDriver } from '../pg-driver.js';

const CLOSED = { code: '57P03', message: 'The embedded database is closed' };

describe("pg's classes on an embedded database", () => {
  let database: EmbeddedDatabase;
  let driver: PgDriver;
  let pool: Pool;

  beforeAll(async () => {
    database = await startEmptyDatabase();
    driver = database.driver;
  });

  afterAll(() => database.close());

  beforeEach(() => {
    pool = new driver.Pool({ max: 10 });
  });

  afterEach(() => pool.end());

  const value = async (text: string, values: unknown[] = [], client: Pool | PoolClient | Client = pool) => {
    const { rows } = await client.query({ text, values, rowMode: 'array' });
    return rows[0]?.[0];
  };

  it('use one connection, whatever the pool size', async () => {
    await Promise.all([1, 2, 3].map((n) => pool.query('SELECT $1', [n])));
    expect(pool.totalCount).toBe(1);
  });

  it('have a time-out for connecting', () => {
    expect(pool.options.connectionTimeoutMillis).toBe(10_000);
  });

  it('ignore hosts, TLS and time-outs in the environment and the options', async () => {
    const before = { ...process.env };
    Object.assign(process.env, {
      PGSSLMODE: 'require',
      PGHOST: '192.0.2.1',
      PGOPTIONS: '-c statement_timeout=1',
    });
    const client = new driver.Client({
      connectionString: 'postgres://nobody@192.0.2.1/nothing?sslmode=require',
      statement_timeout: 1,
      idle_in_transaction_session_timeout: 1,
    });
    process.env = before;
    await client.connect();
    expect(await value('SHOW statement_timeout', [], client)).toBe('0');
    expect(await value('SHOW idle_in_transaction_session_timeout', [], client)).toBe('0');
    await client.end();
  });

  it("parse values with the caller's types, and with pg's by default", async () => {
    expect(await value('SELECT 9007199254740993')).toBe('9007199254740993');
    const exact = new driver.Client({ types: { getTypeParser: () => BigInt as never } });
    await pool.end();
    await exact.connect();
    expect(await value('SELECT 9007199254740993', [], exact)).toBe(9_007_199_254_740_993n);
    await exact.end();
    pool = new driver.Pool();
  });

  it('prepare a named statement once', async () => {
    const run = (n: number) => pool.query({ name: 'twice', text: 'SELECT $1::int * 2 AS n', values: [n] });
    expect([await run(1), await run(2), await run(3)].map(({ rows }) => rows[0].n)).toEqual([2, 4, 6]);
    const prepared = await pool.query(
      'SELECT name, generic_plans + custom_plans AS runs FROM pg_prepared_statements',
    );
    expect(prepared.rows).toEqual([{ name: 'twice', runs: '3' }]);
  });

  it('prepare a named statement again on a new connection and after an error', async () => {
    const run = (n: number) => pool.query({ name: 'tenth', text: 'SELECT 10 / $1::int AS n', values: [n] });
    await expect(run(0)).rejects.toMatchObject({ code: '22012' });
    expect((await run(5)).rows).toEqual([{ n: 2 }]);
    (await pool.connect()).release(true);
    expect((await run(2)).rows).toEqual([{ n: 5 }]);
  });

  it('transfer several megabytes in both directions', async () => {
    const text = 'ä'.repeat(4_000_000);
    expect(await value('SELECT $1::text', [text])).toBe(text);
    const { rows } = await pool.query(
      "SELECT n, repeat('x', 1000) AS filler FROM generate_series(1, 8000) n",
    );
    expect(rows).toHaveLength(8000);
    expect(rows.at(-1)).toEqual({ n: 8000, filler: 'x'.repeat(1000) });
    expect(await value('SELECT length($1::bytea)', [Buffer.alloc(3_000_000, 7)])).toBe(3_000_000);
  });

  it('deliver notices and the results of multiple statements', async () => {
    const client = await pool.connect();
    const notices: (string | undefined)[] = [];
    client.on('notice', ({ message }) => notices.push(message));
    await client.query("DO $$ BEGIN RAISE NOTICE 'mind the dog'; END $$");
    const results = (await client.query('SELECT 1 AS a; SELECT 2 AS b')) as unknown as { rows: unknown[] }[];
    client.release();
    expect(notices).toEqual(['mind the dog']);
    expect(results.map(({ rows }) => rows)).toEqual([[{ a: 1 }], [{ b: 2 }]]);
  });

  it('run a pipeline, with an error in the middle', async () => {
    await pool.end();
    const client = new driver.Client({ pipeline: true });
    await client.connect();
    const results = await Promise.allSettled(
      [1, 0, 2].map((n) => client.query<{ n: number }>('SELECT 2 / $1::int AS n', [n])),
    );
    await client.end();
    expect(
      results.map((result) => (result.status === 'fulfilled' ? result.value.rows[0]?.n : result.reason.code)),
    ).toEqual([2, '22012', 1]);
    pool = new driver.Pool();
  });

  it('do not starve the event loop with sequential queries', async () => {
    let rang = false;
    setTimeout(() => (rang = true), 0);
    let queries = 0;
    while (!rang && queries < 5000) {
      await pool.query('SELECT 1');
      queries++;
    }
    expect(rang).toBe(true);
  });

  it('reset the session state for a new client', async () => {
    const client = await pool.connect();
    await client.query('CREATE TEMPORARY TABLE scraps (id int)');
    await client.query("SET application_name = 'somebody else'");
    await client.query({ name: 'left', text: 'SELECT 1' });
    await client.query('BEGIN');
    await client.query('CREATE TABLE half_done (id int)');
    client.release(true);
    expect(await value("SELECT to_regclass('scraps')")).toBeNull();
    expect(await value("SELECT to_regclass('half_done')")).toBeNull();
    expect(await value('SHOW application_name')).toBe('');
    expect(await value('SELECT count(*)::int FROM pg_prepared_statements')).toBe(0);
  });

  it('recover from a client that disconnects between an error and its Sync', async () => {
    const client = await pool.connect();
    client.on('error', () => {});
    // Asked for row by row, pg ends the messages with Flush, and would send Sync after the error.
    const failing = client.query({ text: 'SELECT 1 / $1::int', values: [0], rows: 1 } as never);
    const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection;
    stream.prependListener('data', () => stream.destroy());
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    client.release(true);
    expect(await value('SELECT 1')).toBe(1);
  });

  it('close the client but not the engine when Terminate follows a query', async () => {
    const client = await pool.connect();
    const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection;
    const results = client.query('SELECT 1 AS n');
    stream.write(Buffer.from('X\0\0\0\x04', 'latin1'));
    expect((await results).rows).toEqual([{ n: 1 }]);
    client.release(true);
    expect(await value('SELECT 2')).toBe(2);
  });

  it('let a second client wait for the first, up to a time-out', async () => {
    const first = await pool.connect();
    const impatient = new driver.Client({ connectionTimeoutMillis: 50 });
    await expect(impatient.connect()).rejects.toThrow('timeout expired');
    const patient = new driver.Client();
    const connected = patient.connect();
    first.release(true);
    await connected;
    expect(await value('SELECT 1', [], patient)).toBe(1);
    await patient.end();
  });

  it('report an outage after the engine crashed without an answer, also to its check', async () => {
    const failing = await startEmptyDatabase();
    const ownPool = new failing.driver.Pool();
    ownPool.on('error', () => {});
    await ownPool.query(
      'CREATE FUNCTION endless(n int) RETURNS int LANGUAGE sql AS $$ SELECT endless(n + 1) $$',
    );
    await expect(ownPool.query('SELECT endless($1)', [1])).rejects.toMatchObject({ code: '57P03' });
    await expect(ownPool.query('SELECT 1')).rejects.toMatchObject({ code: '57P03' });
    await expect(failing.check()).rejects.toThrow('The embedded database has failed');
    await ownPool.end();
    await failing.close();
  });

  it('report an outage after the database is closed', async () => {
    const closed = await startEmptyDatabase();
    const ownPool = new closed.driver.Pool();
    ownPool.on('error', () => {});
    await ownPool.query('SELECT 1');
    await Promise.all([closed.close(), closed.close()]);
    await expect(ownPool.query('SELECT 1')).rejects.toMatchObject(CLOSED);
    await ownPool.end();
  });

  it('report an outage for queries made while the database closes', async () => {
    const closing = await startEmptyDatabase();
    const client = new closing.driver.Client();
    client.on('error', () => {});
    await client.connect();
    const answer = client.query('SELECT 1');
    await Promise.all([closing.close(), expect(answer).rejects.toMatchObject(CLOSED)]);
    await client.end();
  });
});
