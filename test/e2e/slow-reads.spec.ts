import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { KeysService } from '../../src/auth/keys.service.js';
import type { Answer } from './support/client.js';
import { describeOnOneServer } from './support/database.js';
import { type Service, startService } from './support/service.js';

/**
 * Slow: less than what a batch of reads may take until others no longer wait for it. Very slow: less than what a statement may
 * take.
 */
const SLOW_VIEW = `ALTER TABLE pets RENAME TO all_pets;
  CREATE VIEW pets AS SELECT * FROM all_pets
    WHERE CASE name WHEN 'slow' THEN pg_sleep(0.08) IS NOT NULL WHEN 'very slow' THEN pg_sleep(0.35) IS NOT NULL ELSE true END`;
const NO_VIEW = 'DROP VIEW pets; ALTER TABLE all_pets RENAME TO pets';

/** Enough for a busy machine, and for what is found out first. */
const MOST_ROUNDS = 200;
const ENOUGH = 5;
/** Together, for seconds more than what a batch may take. */
const VERY_SLOW = 24;
const MOST_SECONDS = 4;

describeOnOneServer('While an API key reads rows that take the database long', () => {
  let service: Service;
  let slowKey: string;
  let slowPet: string;
  let quickPet: string;
  const verySlowPets: string[] = [];
  beforeAll(async () => {
    service = await startService();
    ({ key: slowKey } = await service.app.get(KeysService).issue({ name: 'slow' }));
    [slowPet, quickPet] = [await create('slow'), await create('quick')];
    for (let i = 0; i < VERY_SLOW; i++) verySlowPets.push(await create('very slow'));
    await service.app.get(DataSource).query(SLOW_VIEW);
  });
  afterAll(async () => {
    await service.app.get(DataSource).query(NO_VIEW);
    await service.stop();
  });

  const create = async (name: string): Promise<string> => {
    const { headers } = await service.post('/v1/pets', { name, categoryId: 1 });
    return String(headers['location']);
  };
  const readSlow = (): Promise<Answer> =>
    service.get(slowPet, { headers: { authorization: `Bearer ${slowKey}` } });

  it('what it was refused for is not read on', async () => {
    await Promise.all(verySlowPets.map((pet) => service.get(pet)));
    const database = service.app.get(DataSource);
    let longest = 0;
    for (;;) {
      const [{ seconds }] = await database.query<[{ seconds: number | null }]>(
        `SELECT max(extract(epoch FROM clock_timestamp() - xact_start))::float8 AS seconds FROM pg_stat_activity
         WHERE state = 'active' AND pid <> pg_backend_pid() AND wait_event = 'PgSleep'`,
      );
      if (seconds === null) break;
      longest = Math.max(longest, seconds);
      await delay(50);
    }
    expect(longest).toBeLessThan(MOST_SECONDS);
  });

  it('reads of other keys do not wait for them', async () => {
    let inARow = 0;
    for (let round = 0; round < MOST_ROUNDS && inARow < ENOUGH; round++) {
      let isAnswered = false;
      const slow = readSlow().finally(() => (isAnswered = true));
      await delay(30); // it is under way
      const { status } = await service.get(quickPet);
      inARow = status === 200 && !isAnswered ? inARow + 1 : 0;
      expect((await slow).status).toBe(200);
    }
    expect(inARow).toBe(ENOUGH);
  }, 90_000);
});
