import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DataSource, type QueryRunner } from 'typeorm';
import { KeysService } from '../../src/auth/keys.service.js';
import type { Answer } from './support/client.js';
import { describeOnOneServer } from './support/database.js';
import { type Service, startService } from './support/service.js';

const COUNTER = `CREATE TABLE counters (category_id bigint PRIMARY KEY, pets bigint NOT NULL);
  CREATE FUNCTION count_pet() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN
    INSERT INTO counters VALUES (new.category_id, 1)
      ON CONFLICT (category_id) DO UPDATE SET pets = counters.pets + 1;
    RETURN NULL; END $$;
  CREATE TRIGGER count_pet AFTER INSERT ON pets FOR EACH ROW EXECUTE FUNCTION count_pet()`;

const BUSY = 7;
const QUIET = 8;
/** On a busy machine, a moment may be too long. */
const MOST_ROUNDS = 5;

describeOnOneServer('Where a trigger counts the animals of a category in one row', () => {
  let service: Service;
  let other: QueryRunner;
  let keyOfOthers: string;
  beforeAll(async () => {
    service = await startService();
    ({ key: keyOfOthers } = await service.app.get(KeysService).issue({ name: 'others' }));
    const dataSource = service.app.get(DataSource);
    await dataSource.query(COUNTER);
    other = dataSource.createQueryRunner();
    for (const category of [BUSY, QUIET]) await create(category);
  });
  afterAll(async () => {
    await other.release();
    await service.app.get(DataSource).query('DROP FUNCTION count_pet CASCADE; DROP TABLE counters');
    await service.stop();
  });

  let acknowledged = 0;
  const create = async (categoryId: number, headers = {}): Promise<Answer> => {
    const answer = await service.post('/v1/pets', { name: 'counted', categoryId }, { headers });
    if (categoryId === BUSY && answer.status === 201) acknowledged++;
    return answer;
  };
  const keyed = () => ({ 'idempotency-key': randomUUID() });

  const whileBusyIsLocked = async <T>(work: () => Promise<T>): Promise<T> => {
    await other.startTransaction();
    try {
      await other.query('SELECT FROM counters WHERE category_id = $1 FOR UPDATE', [BUSY]);
      return await work();
    } finally {
      await other.rollbackTransaction();
    }
  };

  it.each([
    ['plain creates', () => ({})],
    ['those under Idempotency-Keys', keyed],
  ])('%s of it wait while it is locked for a moment, also when it just was for long', async (_, headers) => {
    const othersIn = () => create(QUIET, { ...headers(), authorization: `Bearer ${keyOfOthers}` });
    const statusesAfterLongLock = async (): Promise<number[]> => {
      const refused = await whileBusyIsLocked(() => create(BUSY, headers()));
      expect(refused.status).toBe(503);
      const waiting = await whileBusyIsLocked(async () => {
        const both = Promise.all([create(BUSY, headers()), create(BUSY, headers())]);
        await delay(20);
        expect((await othersIn()).status).toBe(201);
        return { both };
      });
      return (await waiting.both).map(({ status }) => status);
    };
    let statuses: number[] = [];
    for (let round = 0; round < MOST_ROUNDS && statuses.join() !== '201,201'; round++)
      statuses = await statusesAfterLongLock();
    expect(statuses).toEqual([201, 201]);
  });

  it('each of them that was acknowledged is stored once', async () => {
    const [{ stored }] = await other.query(
      'SELECT count(*)::int AS stored FROM pets WHERE category_id = $1',
      [BUSY],
    );
    expect(stored).toBe(acknowledged);
  });
});
