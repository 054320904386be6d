import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { describeInside } from './support/deployment.js';
import { expectAnswer } from './support/expectations.js';
import { addPet } from './support/resources.js';
import { type Service, startService } from './support/service.js';

describeInside('Replicas that start together on an empty database', () => {
  let database: TestDatabase;
  let replicas: Service[];
  beforeAll(async () => {
    database = await createDatabase();
    const start = () => startService({}, undefined, [], { database } as Service);
    replicas = await Promise.all([start(), start(), start()]);
  });
  afterAll(async () => {
    await Promise.all(replicas.map((replica) => replica.stop()));
    await database.drop();
  });

  it('migrate it once', async () => {
    const names = (await database.query('SELECT name FROM migrations')).map(({ name }) => name);
    expect(names).not.toEqual([]);
    expect(new Set(names).size).toBe(names.length);
    const told = replicas.filter(({ log }) => log.join('').includes('Migrated the database'));
    expect(told).toHaveLength(1);
  });

  it('share everything at once', async () => {
    const pet = await addPet(replicas[0]!);
    for (const replica of replicas) {
      const headers = { authorization: `Bearer ${replicas[0]!.key}` };
      expectAnswer(await replica.get(`/v1/pets/${pet.id}`, { headers }), 200, pet);
    }
  });
});
