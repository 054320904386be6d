import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { DataSource, EntitySchema, QueryFailedError, type DataSourceOptions } from 'typeorm';
import { startEmptyDatabase } from '../../../test/support/empty-database.js';
import type { EmbeddedDatabase } from './embedded-database.js';

interface Animal {
  id: bigint;
  name: string;
  shelterId: bigint;
}

const animals = new EntitySchema<Animal>({
  name: 'Animal',
  columns: {
    id: { type: 'bigint', primary: true, generated: 'increment' },
    name: { type: 'text' },
    shelterId: { type: 'bigint' },
  },
  uniques: [{ name: 'animal_name_is_unique', columns: ['name'] }],
});

const INT8 = 20;
const exactIntegers: typeof pg.types.getTypeParser = (oid: number, format?: unknown) =>
  oid === INT8 && format !== 'binary' ? BigInt : pg.types.getTypeParser(oid, format as 'text');

function connect(database: EmbeddedDatabase): Promise<DataSource> {
  const options: DataSourceOptions = {
    type: 'postgres',
    driver: database.driver,
    entities: [animals],
    // What a caller has for a real server; none of it may get in the way.
    host: '192.0.2.1',
    port: 1,
    username: 'nobody',
    password: 'secret',
    poolSize: 10,
    ssl: true,
    extra: {
      types: { getTypeParser: exactIntegers },
      statement_timeout: 3000,
      idle_in_transaction_session_timeout: 3000,
      query_timeout: 20_000,
    },
  };
  return new DataSource(options).initialize();
}

describe('An embedded database with TypeORM', () => {
  let database: EmbeddedDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await startEmptyDatabase();
    // As in the service: one data source for the schema, and the next one for the work.
    const setUp = await connect(database);
    await setUp.synchronize();
    await setUp.destroy();
    dataSource = await connect(database);
  });

  afterAll(async () => {
    await dataSource.destroy();
    await database.close();
  });

  const add = (name: string, shelterId = 1n, manager = dataSource.manager) =>
    manager.createQueryBuilder().insert().into(animals).values({ name, shelterId }).returning('*').execute();

  const countOf = (name: string) => dataSource.getRepository(animals).countBy({ name });

  it('inserts a row and returns it as stored', async () => {
    const { raw, identifiers } = await add('Rex');
    expect(raw).toEqual([{ id: expect.any(BigInt), name: 'Rex', shelterId: 1n }]);
    expect(await dataSource.getRepository(animals).findOneBy({ id: identifiers[0]?.id })).toEqual(raw[0]);
  });

  it.each([-(2n ** 63n), 9_007_199_254_740_993n, 2n ** 63n - 1n])('keeps %s exact', async (shelterId) => {
    await add(`shelter ${shelterId}`, shelterId);
    expect(await dataSource.getRepository(animals).findOneBy({ shelterId })).toMatchObject({ shelterId });
  });

  it('commits', async () => {
    await dataSource.transaction(async (manager) => {
      await add('Committed', 1n, manager);
      await add('Committed too', 1n, manager);
    });
    expect([await countOf('Committed'), await countOf('Committed too')]).toEqual([1, 1]);
  });

  it('rolls back without affecting concurrent statements', async () => {
    let elsewhere: Promise<unknown> | undefined;
    const abandoned = dataSource.transaction(async (manager) => {
      await add('Abandoned', 1n, manager);
      elsewhere = add('Elsewhere');
      await manager.query('SELECT pg_sleep(0.05)');
      throw new Error('changed my mind');
    });
    await expect(abandoned).rejects.toThrow('changed my mind');
    await elsewhere;
    expect([await countOf('Abandoned'), await countOf('Elsewhere')]).toEqual([0, 1]);
  });

  it('serves concurrent queries', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, n) => dataSource.query('SELECT $1::int AS n, pg_backend_pid()', [n])),
    );
    expect(answers.map(([row]) => row.n)).toEqual(Array.from({ length: 200 }, (_, n) => n));
  });

  it.each([
    ['23505', () => add('Twin').then(() => add('Twin'))],
    ['22021', () => add('zero \0 byte')],
    ['42601', () => dataSource.query('SELEC 1')],
    ['22P02', () => dataSource.query('SELECT $1::int', ['one'])],
    ['42P01', () => dataSource.query('SELECT * FROM nothing WHERE id = $1', [1])],
  ])('reports SQLSTATE %s and stays usable', async (code, fail) => {
    const error: unknown = await fail().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(QueryFailedError);
    expect((error as QueryFailedError).driverError).toBeInstanceOf(pg.DatabaseError);
    expect((error as QueryFailedError).driverError).toMatchObject({ code });
    expect(await dataSource.query('SELECT $1::text AS answer', ['still here'])).toEqual([
      { answer: 'still here' },
    ]);
  });

  it('refuses statements after an error in a transaction until the rollback', async () => {
    const runner = dataSource.createQueryRunner();
    await runner.startTransaction();
    await expect(runner.query('SELECT 1 / $1::int', [0])).rejects.toMatchObject({ code: '22012' });
    await expect(runner.query('SELECT $1::int', [1])).rejects.toMatchObject({ code: '25P02' });
    await runner.rollbackTransaction();
    expect(await runner.query('SELECT $1::int AS n', [1])).toEqual([{ n: 1 }]);
    await runner.release();
  });

  it('rolls back to a savepoint after an error', async () => {
    await dataSource.transaction(async (manager) => {
      await add('Before', 1n, manager);
      await manager.transaction((nested) => add('Before', 1n, nested)).catch(() => {});
      await add('After', 1n, manager);
    });
    expect([await countOf('Before'), await countOf('After')]).toEqual([1, 1]);
  });
});
