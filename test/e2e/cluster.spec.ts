import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { createApp } from '../../src/app.js';
import { KeysService } from '../../src/auth/keys.service.js';
import { Config } from '../../src/common/config/config.js';
import { CITUS } from '../../src/database/citus/citus.js';
import { StatementQueues } from '../../src/database/batching/statement-queues.js';
import type { Row } from '../../src/database/batching/statement.js';
import type { DatabaseConnection, ServerConnection } from '../../src/database/connection.js';
import { Database } from '../../src/database/database.js';
import { migrate } from '../../src/database/migrator.js';
import { keepingOf } from '../../src/database/kept.js';
import { requireKept } from '../../src/database/require-kept.js';
import { createDatabase, isCluster } from './support/database.js';
import { describeInside } from './support/deployment.js';
import { CreatePets1763683200000 } from '../../src/pets/migrations/1763683200000-create-pets.js';
import { Pet } from '../../src/pets/pet.entity.js';
import { connectionTo } from './support/own-servers.js';
import { addPets } from './support/pets.js';
import { type Service, startService } from './support/service.js';

const describeOnCluster = isCluster ? describe : describe.skip;

describeInside('Every entity', () => {
  it('says how a cluster keeps its table, which could hold its constraints', async () => {
    const service = await startService();
    const { entityMetadatas } = service.app.get(DataSource);
    const supported = entityMetadatas.filter((entity) => keepingOf(entity) !== 'unsupported');
    expect(() => supported.forEach((entity) => requireKept(entity))).not.toThrow();
    await service.stop();
  });
});

describeOnCluster('On a cluster', () => {
  let service: Service;
  let query: (text: string) => Promise<Record<string, unknown>[]>;
  beforeAll(async () => {
    service = await startService();
    query = (text) => service.app.get(DataSource).query(text);
  });
  afterAll(() => service.stop());

  it('tables are kept as their features say', async () => {
    const tables = await query(
      'SELECT table_name::text AS name, distribution_column AS by, citus_table_type AS kept FROM citus_tables ORDER BY 1',
    );
    expect(tables).toEqual([
      { name: 'idempotency_records', by: 'digest', kept: 'distributed' },
      { name: 'orders', by: 'block', kept: 'distributed' },
      { name: 'pets', by: 'block', kept: 'distributed' },
    ]);
  });

  it('pages cross the ends of blocks, which lie in different shards', async () => {
    await query("SELECT setval(pg_get_serial_sequence('pets', 'id'), 8185)");
    const statuses = ['available', 'sold', undefined] as const;
    const bodies = Array.from({ length: 40 }, (_, i) => ({
      name: `${i}`,
      categoryId: 1,
      status: statuses[i % 3],
    }));
    const pets = await addPets(service, ...bodies);
    expect(new Set(pets.map(({ id }) => Number(id) >> 12))).toEqual(new Set([1, 2]));
    for (const filter of ['', '&status=sold'])
      for (const limit of [1, 5, 7, 40, 100]) {
        const expected = pets.filter(({ status }) => !filter || status === 'sold').map(({ name }) => name);
        expect(await walk(`/v1/pets?limit=${limit}${filter}`)).toEqual(expected);
      }
  });

  async function walk(first: string): Promise<string[]> {
    const names = [];
    for (let next: string | undefined = first; next;) {
      const { json, headers } = await service.get(next);
      names.push(...(json as { name: string }[]).map(({ name }) => name));
      next = /<([^>]+)>; rel="next"/.exec(String(headers['link']))?.[1];
    }
    return names;
  }

  it('orders lie with their animals', async () => {
    const pets = await addPets(service, {}, {}, {});
    for (const { id: petId } of pets) {
      const { status, json } = await service.post('/v1/store/orders', { petId });
      expect({ status, json }).toMatchObject({ status: 201, json: { petId, complete: false } });
      expect((await service.get(`/v1/store/orders?petId=${petId}`)).json).toEqual([json]);
    }
    expect(
      await query('SELECT FROM orders JOIN pets ON pets.id = pet_id AND pets.block = orders.block'),
    ).toHaveLength(3);
  });

  it('workers answer reads, and see what was just added', async () => {
    const { standbys = [] } = service.app.get(StatementQueues).standbys ?? {};
    while (!standbys.every(({ isAvailable }) => isAvailable)) await delay(10);
    const before = standbys.map(({ reads }) => reads);
    for (let i = 0; i < 20; i++) {
      const { json, headers } = await service.post('/v1/pets', { name: `${i}`, categoryId: 1 });
      expect((await service.get(String(headers['location']))).json).toMatchObject(json as object);
    }
    for (const [i, { reads }] of standbys.entries()) expect(reads).toBeGreaterThan(before[i] ?? 0);
  });

  it('other servers, and other databases of a worker, answer no reads', async () => {
    const { url = '' } = service.app.get(DataSource).options as { url?: string };
    const [, worker = ''] = (process.env['CITUS_NODE_URLS'] ?? '').split(',');
    const elsewhere = Object.assign(new URL(worker), { pathname: '/animals' }).href;
    const [coordinator, other] = [new pg.Client(url), new pg.Client(elsewhere)];
    await Promise.all([coordinator.connect(), other.connect()]);
    const follower = CITUS.follower(
      async ({ text }, values) => (await coordinator.query<Row>(text, [...values])).rows,
    );
    await expect(follower.catchUp(coordinator)).rejects.toThrow('it is no worker');
    await expect(follower.catchUp(other)).rejects.toThrow('it is no worker of this cluster');
    await Promise.all([coordinator.end(), other.end()]);
  });

  it('a worker that the coordinator cannot ask answers no reads, and the reason is told', async () => {
    const database = await createDatabase();
    const { url, standbyUrls = [] } = database.connection as ServerConnection;
    const [coordinator, worker] = [new pg.Client(url), new pg.Client(standbyUrls[0])];
    await Promise.all([coordinator.connect(), worker.connect()]);
    await run(asSuperuser(url), 'UPDATE pg_dist_node SET nodeport = groupid WHERE groupid > 0');
    const follower = CITUS.follower(
      async ({ text }, values) => (await coordinator.query<Row>(text, [...values])).rows,
    );
    await expect(follower.catchUp(worker)).rejects.toThrow(
      'the coordinator could not ask it: failed to connect to 127.0.0.1:',
    );
    await Promise.all([coordinator.end(), worker.end()]);
    await database.drop();
  });

  it('a worker that was replaced by another server answers no more reads', async () => {
    const database = await createDatabase();
    const { url, standbyUrls = [] } = database.connection as ServerConnection;
    const [coordinator, worker] = [new pg.Client(url), new pg.Client(standbyUrls[0])];
    await Promise.all([coordinator.connect(), worker.connect()]);
    const follower = CITUS.follower(async ({ text, properties }, values) =>
      (await coordinator.query<string[]>({ text, values: [...values], rowMode: 'array' })).rows.map((row) =>
        Object.fromEntries(row.map((value, i) => [properties[i] ?? '', value])),
      ),
    );
    await follower.catchUp(worker);
    const port = new URL(standbyUrls[0] ?? '').port;
    await run(
      asSuperuser(url),
      `SELECT citus_update_node(nodeid, 'localhost', nodeport) FROM pg_dist_node WHERE nodeport = ${port}`,
    );
    await expect(follower.catchUp(worker)).rejects.toThrow('the cluster does not use it');
    await Promise.all([coordinator.end(), worker.end()]);
    await database.drop();
  }, 30_000);

  it('readiness names missing nodes, and fails when no node answers', async () => {
    const database = await createDatabase();
    const url = asSuperuser((database.connection as ServerConnection).url);
    const client = await start(database.connection);
    const pet = await client.post('/v1/pets', { name: 'Rex', categoryId: 1 });
    const ready = async (): Promise<unknown> => {
      await delay(1_100); // a check lasts a second
      return client.get('/health/ready');
    };
    const [shard] = await run(
      url,
      'SELECT nodeport FROM citus_shards WHERE shardid = get_shard_id_for_distribution_column($$pets$$, 0)',
    );
    await run(
      url,
      `UPDATE pg_dist_node SET nodeport = 1 WHERE groupid > 0 AND nodeport <> ${String(shard?.['nodeport'])}`,
    );
    expect(await ready()).toEqual({ status: 'ok', missingNodes: ['127.0.0.1:1'] });
    expect(await client.get(`/v1/pets/${String(pet['id'])}`)).toEqual(pet);
    await run(url, 'UPDATE pg_dist_node SET nodeport = 2 WHERE groupid > 0 AND nodeport <> 1');
    expect(await ready()).toMatchObject({
      code: 'service_unavailable',
      message: 'No node of the database answers: 127.0.0.1:1, 127.0.0.1:2.',
    });
    await client.stop();
    await database.drop();
  }, 30_000);

  it('writes of one batch are committed together, or not at all', async () => {
    const queues = service.app.get(StatementQueues);
    const write = (name: string, values: string) =>
      queues.write(
        { name, text: `INSERT INTO pets (name, category_id) VALUES ${values}`, properties: [] },
        [],
      );
    const writes = await Promise.allSettled([write('one', "('once', 1)"), write('two', "('', 1)")]);
    expect(writes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(await query("SELECT count(*)::int AS count FROM pets WHERE name = 'once'")).toEqual([
      { count: 1 },
    ]);
  });
});

describeOnCluster('A start on a cluster', () => {
  it('distributes what a single server has stored', async () => {
    const database = await createDatabase();
    const { distribution, standbyUrls, ...single } = database.connection as ServerConnection;
    const before = await start(single);
    const pet = await before.post('/v1/pets', { name: 'Old', categoryId: 1 });
    const order = await before.post('/v1/store/orders', { petId: pet['id'] });
    await before.stop();
    const after = await start({ ...single, distribution, standbyUrls });
    expect(await after.get(`/v1/pets/${String(pet['id'])}`)).toEqual({ ...pet, status: 'pending' });
    expect(await after.get(`/v1/store/orders/${String(order['id'])}`)).toEqual(order);
    expect((await after.post('/v1/pets', { name: 'New', categoryId: 1 }))['id']).toBe(Number(pet['id']) + 1);
    expect((await after.post('/v1/store/orders', { petId: pet['id'] }))['code']).toBe('animal_not_available');
    await after.stop();
    await expect(start(single)).rejects.toThrow('set DATABASE_DISTRIBUTION=citus');
    await database.drop();
  });

  it('distributes a table of a later release, with its references', async () => {
    const database = await createDatabase();
    const tables = { entities: [Pet], others: {} };
    await migrate(database.connection, [CreatePets1763683200000], undefined, tables); // as `npm run seed` does
    const service = await start(database.connection);
    const pet = await service.post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available' });
    expect((await service.post('/v1/store/orders', { petId: pet['id'] }))['petId']).toBe(pet['id']);
    await service.stop();
    const { url } = database.connection as ServerConnection;
    await expect(run(url, 'DELETE FROM pets')).rejects.toThrow('orders_pet_id_fkey');
    await database.drop();
  });

  it('without the schema of the nodes fails, and says what to do', async () => {
    const database = await createDatabase();
    const { standbyUrls = [] } = database.connection as ServerConnection;
    for (const [i, url] of standbyUrls.entries())
      await run(asSuperuser(url, i + 1), 'ALTER SCHEMA public OWNER TO postgres');
    await expect(start(database.connection)).rejects.toThrow(
      'run GRANT CREATE ON SCHEMA public TO animal_store on 127',
    );
    await database.drop();
  });

  it('without the sequences of ids fails, and says what to do', async () => {
    const database = await createDatabase();
    await (await start(database.connection)).stop();
    const { url } = database.connection as ServerConnection;
    const grants = [
      'GRANT USAGE, UPDATE ON SEQUENCE pets_id_seq, orders_id_seq TO animal_store',
      'GRANT SELECT, INSERT ON sequences_ahead TO animal_store',
    ];
    for (const privilege of ['USAGE', 'UPDATE'])
      await run(url, `REVOKE ${privilege} ON ALL SEQUENCES IN SCHEMA public FROM animal_store`);
    await run(url, 'REVOKE INSERT ON sequences_ahead FROM animal_store');
    await expect(start(database.connection)).rejects.toThrow(`run ${grants.join('; ')}`);
    for (const grant of grants) await run(url, grant);
    await (await start(database.connection)).stop();
    await database.drop();
  });

  it('with a table that a crash does not empty fails, and says what to do', async () => {
    const database = await createDatabase();
    await (await start(database.connection)).stop();
    const { url } = database.connection as ServerConnection;
    await run(url, 'ALTER TABLE sequences_ahead SET LOGGED');
    const remedy = 'TRUNCATE sequences_ahead; ALTER TABLE sequences_ahead SET UNLOGGED';
    await expect(start(database.connection)).rejects.toThrow(`run ${remedy}`);
    await run(url, remedy);
    const service = await start(database.connection);
    expect((await service.post('/v1/pets', { name: 'Rex', categoryId: 1 }))['id']).toBe(16_385);
    await service.stop();
    await database.drop();
  });

  it('of an earlier release moves the ids on, which a crash may have set back', async () => {
    const database = await createDatabase();
    const before = await start(database.connection);
    const pet = await before.post('/v1/pets', { name: 'Rex', categoryId: 1, status: 'available' });
    const order = await before.post('/v1/store/orders', { petId: pet['id'] });
    await before.stop();
    const { url } = database.connection as ServerConnection;
    await run(url, 'DROP TABLE sequences_ahead');
    for (const table of ['pets', 'orders']) await run(url, `SELECT setval('${table}_id_seq', 1, false)`);
    const after = await start(database.connection);
    const later = await after.post('/v1/pets', { name: 'Bella', categoryId: 1, status: 'available' });
    expect(later['id']).toBe(Number(pet['id']) + 16_384);
    const another = await after.post('/v1/store/orders', { petId: later['id'] });
    expect(another['id']).toBe(Number(order['id']) + 16_384);
    await after.stop();
    await database.drop();
  });

  it('at a worker fails, and says what to do', async () => {
    const database = await createDatabase();
    const connection = database.connection as ServerConnection;
    const [url = ''] = connection.standbyUrls ?? [];
    await expect(start({ ...connection, url, directUrl: url })).rejects.toThrow('which names a worker');
    await database.drop();
  });

  it.each([
    ['the extension', '', 'needs the extension Citus in the database'],
    [
      'workers',
      'CREATE EXTENSION citus',
      'needs workers: on the coordinator, run SELECT citus_set_coordinator_host',
    ],
  ])('without %s fails, and says what to do', async (_, prepare, message) => {
    const [coordinator = ''] = (process.env['CITUS_NODE_URLS'] ?? '').split(',');
    const name = `bare_${Date.now()}`;
    await run(coordinator, `CREATE DATABASE ${name}`);
    const url = Object.assign(new URL(coordinator), { pathname: `/${name}` }).href;
    if (prepare) await run(url, prepare);
    await expect(start({ ...connectionTo(url), distribution: CITUS })).rejects.toThrow(message);
    await run(coordinator, `DROP DATABASE ${name} WITH (FORCE)`);
  });
});

interface Client {
  get(path: string): Promise<Record<string, unknown>>;
  post(path: string, body: object): Promise<Record<string, unknown>>;
  stop(): Promise<void>;
}

async function start(connection: DatabaseConnection): Promise<Client> {
  const app = await createApp(Object.assign(new Config(), { logLevel: 'silent' }), { connection });
  try {
    await app.listen(0, '127.0.0.1');
    await app.get(Database).whenReady();
  } catch (error) {
    await app.close();
    throw error;
  }
  const { key } = await app.get(KeysService).issue({ name: 'cluster' });
  const origin = await app.getUrl();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const json = async (path: string, init?: RequestInit): Promise<Record<string, unknown>> =>
    (await (await fetch(`${origin}${path}`, { headers, ...init })).json()) as Record<string, unknown>;
  return {
    get: (path) => json(path),
    post: (path, body) => json(path, { method: 'POST', body: JSON.stringify(body) }),
    stop: () => app.close(),
  };
}

/** The same database, as the superuser of a node. */
function asSuperuser(url: string, node = 0): string {
  const nodes = (process.env['CITUS_NODE_URLS'] ?? '').split(',');
  return Object.assign(new URL(nodes[node] ?? ''), { pathname: new URL(url).pathname }).href;
}

async function run(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(text).finally(() => client.end());
  return rows;
}
