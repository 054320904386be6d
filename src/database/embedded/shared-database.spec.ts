import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client, Pool, PoolClient } from 'pg';
import { unpackEmptyDatabase } from '../../../test/support/empty-database.js';
import { destroyConnection } from '../destroy-connection.js';
import { type EmbeddedDatabase, openEmbeddedDatabase } from './embedded-database.js';
import { shareEmbeddedDatabase } from './shared-database.js';

describe('A shared embedded database', () => {
  const folders: string[] = [];
  const closing: (() => Promise<unknown>)[] = [];
  let directory: string;
  let holder: EmbeddedDatabase;
  let pool: Pool;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'shared-spec-'));
    folders.push(directory);
    await unpackEmptyDatabase(join(directory, 'data'));
    holder = await openEmbeddedDatabase(directory);
    pool = new holder.driver.Pool();
    closing.push(() => pool.end().then(() => holder.close()));
    await pool.query('CREATE TABLE log (n int PRIMARY KEY)');
  });

  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });

  afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

  const visit = async (): Promise<Client> => {
    holder.admitGuests();
    const shared = await shareEmbeddedDatabase(directory);
    closing.push(() => shared.close());
    const guest = new shared.driver.Client();
    guest.on('error', () => {});
    await guest.connect();
    closing.push(() => guest.end().catch(() => {}));
    return guest;
  };
  const add = (client: Client | Pool | PoolClient, n: number) =>
    client.query('INSERT INTO log VALUES ($1)', [n]);
  const logged = async () =>
    (await pool.query<{ n: number }>('SELECT n FROM log ORDER BY n')).rows.map(({ n }) => n);

  it('serves a guest and its holder at the same time', async () => {
    const guest = await visit();
    const numbers = Array.from({ length: 50 }, (_, i) => i);
    const byGuest = async () => {
      for (const n of numbers.filter((i) => i % 2)) await add(guest, n);
    };
    await Promise.all([byGuest(), ...numbers.filter((i) => i % 2 === 0).map((n) => add(pool, n))]);
    expect(await logged()).toEqual(numbers);
  });

  it('keeps the prepared statements of its holder', async () => {
    const twice = { name: 'twice', text: 'SELECT $1::int * 2 AS n', values: [2] };
    const prepared = 'SELECT name FROM pg_prepared_statements';
    await pool.query(twice);
    await (await visit()).query('SELECT 1');
    expect((await pool.query(twice)).rows).toEqual([{ n: 4 }]);
    expect((await pool.query(prepared)).rows).toEqual([{ name: 'twice' }]);
  });

  it('keeps statements of the holder out of a transaction of a guest', async () => {
    const guest = await visit();
    await guest.query('BEGIN');
    await add(guest, 1);
    const waiting = add(pool, 2);
    await pause(50);
    await guest.query('ROLLBACK');
    await waiting;
    expect(await logged()).toEqual([2]);
  });

  it('keeps statements of a guest out of a transaction of the holder', async () => {
    const guest = await visit();
    const client = await pool.connect();
    await client.query('BEGIN');
    await add(client, 1);
    const waiting = add(guest, 2);
    await pause(50);
    await client.query('ROLLBACK');
    client.release();
    await waiting;
    expect(await logged()).toEqual([2]);
  });

  it('rolls back the transaction of a guest that dies, also after an error', async () => {
    for (const end of ['SELECT 1', 'SELECT 1/0']) {
      const guest = await visit();
      await guest.query('BEGIN');
      await add(guest, 1);
      await guest.query(end).catch(() => {});
      destroyConnection(guest);
      expect(await logged()).toEqual([]);
    }
  });

  it('goes on when a guest dies while it waits, or while it is answered', async () => {
    const [waiting, answered] = [await visit(), await visit()];
    const client = await pool.connect();
    await client.query('BEGIN');
    for (const guest of [waiting, answered]) guest.query('BEGIN; SELECT pg_sleep(0.1)').catch(() => {});
    await pause(20);
    destroyConnection(waiting);
    await client.query('COMMIT');
    client.release();
    await pause(50);
    destroyConnection(answered);
    await add(pool, 1);
    await add(await visit(), 2);
    expect(await logged()).toEqual([1, 2]);
  });

  it('keeps what a guest does to the session away from its holder', async () => {
    const guest = await visit();
    await guest.query('SET search_path TO nowhere; SET default_transaction_read_only = on');
    await add(pool, 1);
    await guest.query("SELECT set_config('search_path', 'nowhere', false), pg_advisory_lock(1)");
    await guest.query('CREATE TEMP TABLE log (other text)');
    await add(pool, 2);
    await guest.query('CREATE ROLE nobody; SET SESSION AUTHORIZATION nobody');
    expect(await logged()).toEqual([1, 2]);
  });

  it.each([
    ['alone', 'COPY log FROM STDIN', []],
    ['after others', 'SELECT 1; COPY log FROM STDIN; COPY log FROM STDIN', []],
    ['with parameters', { text: 'COPY log FROM STDIN', queryMode: 'extended' }, undefined],
  ])('refuses COPY FROM STDIN, which ends the engine without rows: %s', async (_, text, values) => {
    const guest = await visit();
    for (const client of [guest, pool]) {
      await expect(client.query(text as string, values)).rejects.toThrow(
        'the embedded database cannot do it',
      );
    }
    await add(guest, 1);
    await add(pool, 2);
    expect(await logged()).toEqual([1, 2]);
  });

  it('refuses messages of more than 1 MiB', async () => {
    const guest = await visit();
    const text = 'x'.repeat(1_000_000);
    expect((await guest.query('SELECT $1::text AS text', [text])).rows).toEqual([{ text }]);
    await expect(guest.query('SELECT $1::text', [text + text])).rejects.toThrow(
      'The embedded database takes messages of at most 1048576 bytes',
    );
    await add(pool, 1);
    expect(await logged()).toEqual([1]);
  });

  it('answers a statement of a guest that takes long', async () => {
    expect((await (await visit()).query('SELECT 1 AS n FROM pg_sleep(1.2)')).rows).toEqual([{ n: 1 }]);
  });

  it('ends a transaction of a guest that goes on and on', async () => {
    const guest = await visit();
    await guest.query('BEGIN');
    const waiting = add(pool, 1).then(() => 'added');
    const goOn = async (): Promise<void> => {
      for (;;) await guest.query('SELECT 1').then(() => pause(50));
    };
    await expect(goOn()).rejects.toThrow(/not queryable|Connection terminated|EPIPE|ECONNRESET/);
    expect(await waiting).toBe('added');
  });

  it('makes its holder wait for one of many guests only', async () => {
    const guests = await Promise.all(Array.from({ length: 5 }, visit));
    await guests[0]!.query('BEGIN');
    const order: string[] = [];
    const others = guests.slice(1).map(async (guest) => {
      await guest.query('BEGIN').catch(() => {});
      order.push('guest');
    });
    await pause(50);
    const waiting = add(pool, 1).then(() => order.push('holder'));
    await guests[0]!.query('ROLLBACK');
    await waiting;
    expect(order[0]).toBe('holder');
    guests.forEach((guest) => destroyConnection(guest));
    await Promise.all(others);
  });

  it('disconnects a guest that is silent within a transaction, and no other one', async () => {
    const [idle, silent] = [await visit(), await visit()];
    await silent.query('BEGIN');
    await add(silent, 1);
    await add(pool, 2);
    expect(await logged()).toEqual([2]);
    await expect(silent.query('SELECT 1')).rejects.toThrow(/not queryable|Connection terminated/);
    expect((await idle.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
  });

  it('is for the user of its holder only', async () => {
    const lock = (await readdir(directory)).find((name) => name.startsWith('lock-')) ?? '';
    expect((await stat(join(directory, lock))).mode & 0o777).toBe(0o600);
  });

  it('makes a guest wait until its holder is ready', async () => {
    const sharing = shareEmbeddedDatabase(directory);
    await pause(300);
    holder.admitGuests();
    const shared = await sharing;
    expect(shared.isGuest).toBe(true);
    await shared.close();
  });

  it('waits for its guests when it is closed', async () => {
    const guest = await visit();
    await guest.query('BEGIN');
    await pool.end();
    const closed = holder.close();
    await pause(100);
    await add(guest, 1);
    await guest.query('COMMIT');
    await guest.end();
    await closing.splice(1, 1)[0]?.();
    await closed;
    holder = await openEmbeddedDatabase(directory);
    pool = new holder.driver.Pool();
    expect(await logged()).toEqual([1]);
    closing.splice(0, closing.length, () => pool.end().then(() => holder.close()));
  });

  it('waits for a guest that has yet to connect', async () => {
    holder.admitGuests();
    const shared = await shareEmbeddedDatabase(directory);
    await pool.end();
    const closed = holder.close();
    await pause(200);
    const guest = new shared.driver.Client();
    await guest.connect();
    expect(await add(guest, 1)).toMatchObject({ rowCount: 1 });
    await guest.end();
    await shared.close();
    await closed;
    closing.splice(0);
  });

  it('ends in time with a guest that stays', async () => {
    const guest = await visit();
    await guest.query('BEGIN');
    await pool.end();
    await holder.close();
    await expect(guest.query('COMMIT')).rejects.toThrow(/not queryable|Connection terminated/);
    closing.splice(0);
  });

  it('is opened by a command without a holder, also where a killed one left its lock', async () => {
    for (const close of closing.splice(0)) await close();
    await writeFile(join(directory, 'lock-4194304-0badcafe'), '');
    const own = await shareEmbeddedDatabase(directory);
    expect(own.isGuest).toBe(false);
    await own.close();
    expect(await readdir(directory)).toEqual(['data']);
  });
});
