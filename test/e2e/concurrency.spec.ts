import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Answer } from './support/client.js';
import { describeInside, describeOnOneServer } from './support/deployment.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { addPet, type PetBody, statusOf } from './support/resources.js';
import { type Service, startService } from './support/service.js';

const isBad = (i: number): boolean => i % 5 === 2;

describeInside('Creates at the same moment', () => {
  let service: Service;
  let other: Service;
  beforeAll(async () => {
    service = await startService();
    other = await startService({}, undefined, [], service);
  });
  afterAll(async () => {
    await other.stop();
    await service.stop();
  });
  afterEach(async () => {
    await run('ALTER TABLE pets DROP CONSTRAINT IF EXISTS no_bad_names; DROP FUNCTION IF EXISTS judge CASCADE');
  });

  const run = (sql: string) => service.database.query(sql);
  const create = (name: string, at = service, headers = {}) =>
    at.post('/v1/pets', { name, categoryId: 1 }, { headers });

  /** A trigger with this body before or after the inserts of bad names. */
  const judge = (when: string, body: string) =>
    run(`CREATE FUNCTION judge() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} END $$;
      CREATE ${when} FOR EACH ROW WHEN (new.name LIKE 'Bad%') EXECUTE FUNCTION judge()`);

  it('get their own animals, whatever else is stored with them', async () => {
    const names = Array.from({ length: 16 }, (_, i) => `Animal ${i % 4}`);
    const answers = await Promise.all(names.map((name, i) => create(name, [service, other][i % 2])));
    const ids = answers.map(({ json }) => (json as PetBody).id);
    expect(new Set(ids).size).toBe(names.length);
    for (const [i, answer] of answers.entries()) {
      expectAnswer(answer, 201, { id: ids[i], name: names[i], categoryId: 1 });
      expect(answer.headers['location']).toBe(`/v1/pets/${ids[i]}`);
      expectAnswer(await service.get(`/v1/pets/${ids[i]}`), 200, answer.json);
    }
  });

  const expectOnlyBadOnesRefused = async (): Promise<void> => {
    const names = Array.from({ length: 30 }, (_, i) => `${isBad(i) ? 'Bad' : 'Good'} ${randomUUID()}`);
    const answers = await Promise.all(names.map((name) => create(name)));
    for (const [i, answer] of answers.entries()) {
      const found = await run(`SELECT FROM pets WHERE name = '${names[i]}'`);
      if (isBad(i)) expectError(answer, 'internal_error');
      else expectAnswer(answer, 201, { id: expect.anything(), name: names[i], categoryId: 1 });
      expect(found).toHaveLength(isBad(i) ? 0 : 1);
    }
  };

  it('are stored although a constraint refuses others', async () => {
    await run(`ALTER TABLE pets ADD CONSTRAINT no_bad_names CHECK (name NOT LIKE 'Bad%') NOT VALID`);
    await expectOnlyBadOnesRefused();
  });

  describeOnOneServer('on a table with a trigger', () => {
    it.each([
      ['a trigger', 'TRIGGER judge BEFORE INSERT ON pets', `RAISE 'no';`],
      [
        'a trigger at the commit',
        'CONSTRAINT TRIGGER judge AFTER INSERT ON pets DEFERRABLE INITIALLY DEFERRED',
        'RAISE check_violation;',
      ],
    ])('are stored although %s refuses others', async (_, when, body) => {
      await judge(when, body);
      await expectOnlyBadOnesRefused();
    });

    it('are stored with their records although others are refused', async () => {
      await judge('TRIGGER judge BEFORE INSERT ON pets', `RAISE 'no';`);
      const sent = Array.from({ length: 5 }, (_, i) => {
        const key = randomUUID();
        return { key, name: `${isBad(i) ? 'Bad' : 'Good'} ${key}` };
      });
      const send = () => Promise.all(sent.map(({ key, name }) => create(name, service, { 'idempotency-key': key })));
      const [first, second] = [await send(), await send()];
      for (const [i, answer] of first.entries()) {
        if (isBad(i)) expectError(answer, 'internal_error');
        else expect([answer.status, second[i]!.text]).toEqual([201, answer.text]);
      }
    });

    it('answer what a trigger has made of them', async () => {
      await judge('TRIGGER judge BEFORE INSERT ON pets', `new.name := 'Good'; RETURN new;`);
      expectAnswer(await create('Bad'), 201, { id: expect.anything(), name: 'Good', categoryId: 1 });
    });
  });
});

describeInside('Two replicas', () => {
  let one: Service;
  let other: Service;
  beforeAll(async () => {
    one = await startService({ rateLimitPerKey: 0 });
    other = await startService({ rateLimitPerKey: 0 }, undefined, [], one);
  });
  afterAll(async () => {
    await other.stop();
    await one.stop();
  });

  /** Those that wait too long for an equal request are told to come again. */
  const send = async (replica: Service, ...request: Parameters<Service['post']>): Promise<Answer> => {
    const answer = await replica.post(...request);
    return answer.status === 503 ? send(replica, ...request) : answer;
  };
  /** Sends it to both in turn, all at once. */
  const sendAll = (times: number, path: string, body: object, headers = {}): Promise<Answer[]> =>
    Promise.all(Array.from({ length: times }, (_, i) => send(i % 2 ? other : one, path, body, { headers })));
  const shown = ({ status, text, headers: { location = '' } }: Answer) => [status, location, text].join(' ');

  it.each([
    ['animals', '/v1/pets', async () => ({ name: `Once ${randomUUID()}`, categoryId: 1 })],
    ['orders', '/v1/store/orders', async () => ({ petId: (await addPet(one)).id })],
  ])('carry out equal requests under one key once, and give one answer: %s', async (_, path, bodyOf) => {
    for (let round = 0; round < 5; round++) {
      const headers = { 'idempotency-key': randomUUID() };
      const answers = await sendAll(10, path, await bodyOf(), headers);
      expect([...new Set(answers.map(shown))]).toEqual([expect.stringMatching(/^201 \/v1\//)]);
      const made = answers.filter(({ headers: { 'idempotency-replayed': replayed } }) => !replayed);
      expect(made).toHaveLength(1);
    }
  });

  it('take one order for an animal, whoever is asked', async () => {
    for (let round = 0; round < 5; round++) {
      const { id: petId } = await addPet(one);
      const answers = await sendAll(10, '/v1/store/orders', { petId });
      const refused = answers.filter(({ status }) => status !== 201);
      expect(refused).toHaveLength(9);
      for (const answer of refused) expectError(answer, 'animal_not_available');
      expect(await statusOf(other, petId)).toBe('pending');
    }
  });
});
