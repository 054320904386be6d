import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { KeysService } from '../../src/auth/keys.service.js';
import type { Answer, Options } from './support/client.js';
import { describeOnOneServer } from './support/database.js';
import { type Service, startService } from './support/service.js';

const TRIGGER = `CREATE FUNCTION take_long() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF new.name = 'slow' THEN PERFORM pg_sleep(0.2); END IF;
    RETURN new; END $$;
  CREATE TRIGGER take_long BEFORE INSERT ON pets FOR EACH ROW EXECUTE FUNCTION take_long()`;

/** Enough for a busy machine, and for what is found out first. */
const MOST_ROUNDS = 60;
const ENOUGH = 5;

describeOnOneServer('While the rows of an API key take the database long', () => {
  let service: Service;
  let slowKey: string;
  beforeAll(async () => {
    service = await startService();
    ({ key: slowKey } = await service.app.get(KeysService).issue({ name: 'slow' }));
    await service.app.get(DataSource).query(TRIGGER);
  });
  afterAll(async () => {
    await service.app.get(DataSource).query('DROP FUNCTION take_long CASCADE');
    await service.stop();
  });

  const create = (name: string, headers: Options['headers'] = {}): Promise<Answer> =>
    service.post('/v1/pets', { name, categoryId: 1 }, { headers });

  it('creates of other keys do not wait for them', async () => {
    let inARow = 0;
    for (let round = 0; round < MOST_ROUNDS && inARow < ENOUGH; round++) {
      let isAnswered = false;
      const slow = create('slow', { authorization: `Bearer ${slowKey}` }).finally(() => (isAnswered = true));
      await delay(30); // it is under way
      const { status } = await create('quick');
      inARow = status === 201 && !isAnswered ? inARow + 1 : 0;
      await slow;
    }
    expect(inARow).toBe(ENOUGH);
  });
});
