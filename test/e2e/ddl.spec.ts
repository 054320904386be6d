import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { KeysService } from '../../src/auth/keys.service.js';
import { animalNotAvailable } from '../../src/orders/orders.errors.js';
import { describeOffCluster } from './support/database.js';
import { expectError } from './support/expectations.js';
import { type Service, startService } from './support/service.js';

/** Changes that an operator may make while the service runs, each with its reversal. */
const UNNOTICED: [change: string, undo?: string][] = [
  ['ALTER TABLE pets ALTER name TYPE varchar(300)', 'ALTER TABLE pets ALTER name TYPE text'],
  ['ALTER TABLE pets ALTER category_id TYPE numeric', 'ALTER TABLE pets ALTER category_id TYPE bigint'],
  ['ALTER TABLE pets ALTER category_id TYPE integer', 'ALTER TABLE pets ALTER category_id TYPE bigint'],
  ['ALTER TABLE pets ALTER id TYPE integer', 'ALTER TABLE pets ALTER id TYPE bigint'],
  [
    `ALTER TABLE pets DROP CONSTRAINT IF EXISTS pets_status_known; CREATE TYPE known AS ENUM ('available', 'pending', 'sold');
     ALTER TABLE pets ALTER status TYPE known USING status::known`,
    'ALTER TABLE pets ALTER status TYPE text; DROP TYPE known',
  ],
  ["ALTER TABLE pets ADD extra text DEFAULT 'x' NOT NULL", 'ALTER TABLE pets DROP extra'],
  ['ALTER TABLE pets ADD stamp timestamptz DEFAULT clock_timestamp()', 'ALTER TABLE pets DROP stamp'],
  ["ALTER TABLE pets ALTER status SET DEFAULT 'sold'", 'ALTER TABLE pets ALTER status DROP DEFAULT'],
  ['ALTER TABLE pets ADD CONSTRAINT more CHECK (id > 0)', 'ALTER TABLE pets DROP CONSTRAINT more'],
  ['ALTER TABLE pets ADD CONSTRAINT more UNIQUE (id, name)', 'ALTER TABLE pets DROP CONSTRAINT more'],
  ['CREATE INDEX more ON pets (name)', 'DROP INDEX more'],
  ['DROP INDEX pets_status_id', 'CREATE INDEX pets_status_id ON pets (status, id)'],
  ['ALTER INDEX pets_status_id RENAME TO other', 'ALTER INDEX other RENAME TO pets_status_id'],
  ['ALTER TABLE pets ALTER status SET STATISTICS 500', 'ALTER TABLE pets ALTER status SET STATISTICS -1'],
  ['ALTER TABLE pets ALTER name SET STORAGE EXTERNAL', 'ALTER TABLE pets ALTER name SET STORAGE EXTENDED'],
  ['ALTER TABLE pets SET (fillfactor = 70)', 'ALTER TABLE pets RESET (fillfactor)'],
  [alterReferring('SET UNLOGGED', 'DESC'), alterReferring('SET LOGGED', 'ASC')],
  ['ALTER TABLE pets REPLICA IDENTITY FULL', 'ALTER TABLE pets REPLICA IDENTITY DEFAULT'],
  ["COMMENT ON TABLE pets IS 'animals'"],
  ['CLUSTER pets USING pets_pkey'],
  ['VACUUM FULL pets'],
  ['REINDEX TABLE pets'],
  ['ANALYZE pets'],
  ['TRUNCATE pets CASCADE'],
  ['ALTER TABLE api_keys ALTER name TYPE varchar(300)', 'ALTER TABLE api_keys ALTER name TYPE text'],
  ['ALTER TABLE api_keys ADD extra integer DEFAULT 1', 'ALTER TABLE api_keys DROP extra'],
  ['VACUUM FULL api_keys'],
  ['ALTER TABLE orders ALTER quantity TYPE bigint', 'ALTER TABLE orders ALTER quantity TYPE integer'],
  ["ALTER TABLE orders ADD extra text DEFAULT 'x' NOT NULL", 'ALTER TABLE orders DROP extra'],
  [
    'ALTER TABLE idempotency_records ALTER location TYPE varchar(2000)',
    'ALTER TABLE idempotency_records ALTER location TYPE text',
  ],
  [
    'ALTER TABLE idempotency_records ADD extra integer DEFAULT 1',
    'ALTER TABLE idempotency_records DROP extra',
  ],
];

/** Alters pets and all tables that refer to it: a logged table cannot refer to an unlogged one. */
function alterReferring(change: string, order: 'ASC' | 'DESC'): string {
  return `DO $$ DECLARE altered regclass; BEGIN
    FOR altered IN
      WITH RECURSIVE referring AS (
        SELECT 'pets'::regclass::oid AS id, 0 AS depth
        UNION SELECT conrelid, depth + 1 FROM pg_constraint JOIN referring ON confrelid = id
        WHERE conrelid <> confrelid AND depth < 9
      ) SELECT id FROM referring GROUP BY id ORDER BY max(depth) ${order}
    LOOP EXECUTE format('ALTER TABLE %s ${change}', altered); END LOOP;
  END $$`;
}

/** Changes that make every statement fail. */
const MISSING: [change: string, undo: string][] = [
  ['ALTER TABLE pets RENAME name TO title', 'ALTER TABLE pets RENAME title TO name'],
  ['ALTER TABLE pets RENAME TO animals', 'ALTER TABLE animals RENAME TO pets'],
  [
    'CREATE SCHEMA away; ALTER TABLE pets SET SCHEMA away',
    'ALTER TABLE away.pets SET SCHEMA public; DROP SCHEMA away',
  ],
];

/** Changes that make every insert fail, but no read. */
const NOT_INSERTABLE: [code: string, change: string, undo: string][] = [
  ['23502', 'ALTER TABLE pets ADD needed text NOT NULL', 'ALTER TABLE pets DROP needed'],
  ['22001', 'ALTER TABLE pets ALTER name TYPE varchar(3)', 'ALTER TABLE pets ALTER name TYPE text'],
  [
    '22P02',
    'ALTER TABLE pets DROP CONSTRAINT IF EXISTS pets_name_length; ALTER TABLE pets ALTER name TYPE json USING to_json(name)',
    "ALTER TABLE pets ALTER name TYPE text USING name #>> '{}'",
  ],
  [
    '0A000',
    'CREATE RULE instead AS ON INSERT TO pets WHERE new.id < 0 DO INSTEAD NOTHING',
    'DROP RULE instead ON pets',
  ],
  [
    '2200H',
    'ALTER TABLE pets ALTER id SET MAXVALUE 2 RESTART WITH 2',
    'ALTER TABLE pets ALTER id SET MAXVALUE 9223372036854775807 RESTART WITH 1000000',
  ],
];

describeOffCluster('DDL while the service runs', () => {
  let service: Service;
  let run: (sql: string) => Promise<unknown>;
  let keys: string[];
  let turn = 0;
  beforeAll(async () => {
    service = await startService();
    run = (sql) => service.app.get(DataSource).query(sql);
    const issue = async () => (await service.app.get(KeysService).issue({ name: 'ddl' })).key;
    keys = await Promise.all(Array.from({ length: 4 * (UNNOTICED.length + MISSING.length) }, issue));
    await statuses(); // prepares every statement on each connection
  });
  afterAll(() => service.stop());

  /** Runs each kind of statement once. The first request uses a key that has to be looked up. */
  async function statuses(): Promise<number[]> {
    const headers = { authorization: `Bearer ${keys[turn++ % keys.length]}` };
    const created = await service.post('/v1/pets', { name: 'a', categoryId: 1, status: 'sold' }, { headers });
    const { id } = (created.json ?? {}) as { id?: number };
    const paths = [
      `/v1/pets/${id ?? 1}`,
      '/v1/pets',
      '/v1/pets?status=sold',
      `/v1/pets?status=sold&after=${(id ?? 1) - 1}`,
    ];
    const under = { headers: { ...headers, 'idempotency-key': randomUUID() } };
    const keyed = await service.post('/v1/pets', { name: 'a', categoryId: 1 }, under);
    const { id: petId } = (keyed.json ?? {}) as { id?: number };
    const order = petId ? await service.post('/v1/store/orders', { petId, quantity: 1 }) : keyed;
    const answers = [created, keyed, order];
    for (const path of paths) answers.push(await service.get(path));
    return answers.map(({ status }) => status);
  }

  /** A busy machine may be too slow for some of them, and then answers 503. */
  async function expectWell(): Promise<void> {
    let seen = await statuses();
    for (let attempt = 0; seen.includes(503) && attempt < 10; attempt++) seen = await statuses();
    expect(seen).toEqual([201, 201, 201, 200, 200, 200, 200]);
  }

  async function readinessBecomes(status: number): Promise<void> {
    for (let attempt = 0; (await service.call('GET', '/health/ready')).status !== status; attempt++) {
      if (attempt === 100) throw new Error(`/health/ready did not become ${status}.`);
      await delay(50);
    }
  }

  describe.each(UNNOTICED)('%s', (change, undo) => {
    it('goes unnoticed, and so does its reversal', async () => {
      await run(change);
      await expectWell();
      if (!undo) return;
      await run(undo);
      await expectWell();
    });
  });

  it('that widens a column goes unnoticed by the first value that did not fit', async () => {
    await run('ALTER TABLE pets ALTER category_id TYPE integer');
    await expectWell();
    await run('ALTER TABLE pets ALTER category_id TYPE bigint');
    expect((await service.post('/v1/pets', { name: 'a', categoryId: 5_000_000_000 })).status).toBe(201);
    await expectWell();
  });

  // REINDEX CONCURRENTLY renames the old indexes, and while others use them they go on refusing rows.
  it.each(['_ccnew', '_ccold', '_ccold1'])(
    'that rebuilds an index, then with %s, leaves conflicts what they are',
    async (suffix) => {
      const { id: petId } = (await service.post('/v1/pets', { name: 'a', categoryId: 1 })).json as {
        id: number;
      };
      const order = (headers = {}) => service.post('/v1/store/orders', { petId, quantity: 1 }, { headers });
      expect((await order()).status).toBe(201);
      await run(`ALTER INDEX orders_one_open RENAME TO orders_one_open${suffix}`);
      try {
        expectError(await order(), animalNotAvailable);
        expectError(await order({ 'idempotency-key': randomUUID() }), animalNotAvailable);
        await expectWell();
      } finally {
        await run(`ALTER INDEX orders_one_open${suffix} RENAME TO orders_one_open`);
      }
    },
  );

  describe.each(MISSING)('%s', (change, undo) => {
    it('causes 503, makes the service unready, and recovers without a restart', async () => {
      await readinessBecomes(200);
      await run(change);
      expect(new Set(await statuses())).toEqual(new Set([503]));
      await readinessBecomes(503);
      await run(undo);
      await expectWell();
      await readinessBecomes(200);
    });
  });

  it('that gives keys another type makes the service unready, and recovers without a restart', async () => {
    await run("ALTER TABLE api_keys ALTER hash TYPE text USING encode(hash, 'hex')");
    try {
      await readinessBecomes(503);
    } finally {
      await run("ALTER TABLE api_keys ALTER hash TYPE bytea USING decode(hash, 'hex')");
    }
    await readinessBecomes(200);
    await expectWell();
  });

  describe.each(NOT_INSERTABLE)('that refuses inserts with %s', (code, change, undo) => {
    it('answers 503 to creates, stores nothing, logs the code once, and lets reads go on', async () => {
      await run('TRUNCATE pets CASCADE');
      await run(change);
      if (code === '2200H') await run(`SELECT nextval(pg_get_serial_sequence('pets', 'id'))`);
      const before = service.log.length;
      for (let attempt = 0; attempt < 2; attempt++) {
        const answer = await service.post('/v1/pets', { name: 'Secret', categoryId: 1 });
        expectError(
          answer,
          'service_unavailable',
          'The database cannot do this at the moment. Nothing was stored.',
        );
      }
      expect((await service.get('/v1/pets')).status).toBe(200);
      await run(undo);
      await expectWell();
      const lines = service.log.slice(before);
      expect(lines.filter((line) => line.includes(`answered 503`))).toEqual([
        expect.stringContaining(`(${code})`),
      ]);
      expect(lines.join('')).not.toContain('Secret');
    });
  });

  it('under load goes unnoticed, or causes 503 for a moment', async () => {
    const seen = new Set<number>();
    let isOver = false;
    const client = async (send: () => Promise<{ status: number }>): Promise<void> => {
      while (!isOver) seen.add((await send()).status);
    };
    const clients = [
      client(() => service.post('/v1/pets', { name: 'b', categoryId: 2 })),
      client(() => service.post('/v1/pets', { name: 'c', categoryId: 3, status: 'sold' })),
      client(() => service.get('/v1/pets?limit=5')),
      client(() => service.get('/v1/pets?status=sold&limit=5')),
    ];
    for (const sql of [...UNNOTICED, ...MISSING].flat()) {
      if (sql) await run(sql);
      await delay(5);
    }
    isOver = true;
    await Promise.all(clients);
    expect([...seen].filter((status) => ![200, 201, 503].includes(status))).toEqual([]);
    expect([...seen]).toEqual(expect.arrayContaining([200, 201]));
    await expectWell();
  });
});
