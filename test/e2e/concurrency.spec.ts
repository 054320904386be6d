import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { KeysService } from '../../src/auth/keys.service.js';
import { Statements } from '../../src/database/statements.js';
import type { Answer } from './support/client.js';
import { describeInside, describeOnOneServer } from './support/deployment.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { fakeOnly } from './support/fake-timers.js';
import { addOrder, addPet, type PetBody, statusOf } from './support/resources.js';
import { type Service, startService } from './support/service.js';
import { until } from './support/until.js';

const REX = { name: 'Rex', categoryId: 1 };

const isBad = (i: number): boolean => i % 5 === 2;
const isReplay = ({ headers }: Answer): boolean => headers['idempotency-replayed'] === 'true';

/** Two replicas, with one database. */
let service: Service;
let other: Service;
beforeAll(async () => {
  service = await startService({ rateLimitPerKey: 0 });
  other = await startService({ rateLimitPerKey: 0 }, undefined, [], service);
});
afterAll(async () => {
  await other.stop();
  await service.stop();
});

const run = (sql: string) => service.database.query(sql);

const WAITING = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
/** Sends the requests one after the other, each once those before it wait for what `sql` locks, and then lets them go on. */
async function whileLocked<T>(sql: string, ...requests: (() => Promise<T>)[]): Promise<T[]> {
  const blocker = await service.database.connect();
  const answers: Promise<T>[] = [];
  try {
    await blocker.query(`BEGIN; ${sql}`);
    for (const send of requests) {
      answers.push(send());
      await until(async () => (await run(WAITING)).length >= answers.length);
    }
  } finally {
    await blocker.end();
  }
  return Promise.all(answers);
}

/** A trigger with this body before or after the inserts of bad names. */
const judge = (when: string, body: string) =>
  run(`CREATE FUNCTION judge() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} END $$;
    CREATE ${when} FOR EACH ROW WHEN (new.name LIKE 'Bad%') EXECUTE FUNCTION judge()`);
const AT_THE_COMMIT = 'CONSTRAINT TRIGGER judge AFTER INSERT ON pets DEFERRABLE INITIALLY DEFERRED';
/** Ends what a test has forbidden. */
const allowAll = () =>
  run(`ALTER TABLE pets DROP CONSTRAINT IF EXISTS no_bad_names;
    ALTER TABLE idempotency_records DROP CONSTRAINT IF EXISTS no_records; DROP FUNCTION IF EXISTS judge CASCADE`);
afterEach(async () => {
  jest.useRealTimers();
  await allowAll();
});

describeInside('Creates at the same moment', () => {
  const create = (name: string, at = service, headers = {}) =>
    at.post('/v1/pets', { name, categoryId: 1 }, { headers });

  it('get their own animals, whatever else is stored with them', async () => {
    const names = Array.from({ length: 16 }, (_, i) => `Animal ${i % 4}`);
    const answers = await Promise.all(names.map((name, i) => create(name, [service, other][i % 2])));
    const ids = answers.map(({ json }) => (json as PetBody).id);
    for (const [i, answer] of answers.entries()) {
      expectAnswer(answer, 201, { id: ids[i], name: names[i], categoryId: 1 });
      expect(answer.headers['location']).toBe(`/v1/pets/${ids[i]}`);
      expectAnswer(await service.get(`/v1/pets/${ids[i]}`), 200, answer.json);
    }
    expect(new Set(ids).size).toBe(names.length);
  });

  it('are stored in their own tables', async () => {
    await run('CREATE TABLE others (LIKE pets INCLUDING ALL)');
    const [statements, source] = [service.app.get(Statements), service.app.get(DataSource)];
    const pets = source.getRepository('pets');
    const others = { target: 'others', metadata: { ...pets.metadata, tablePath: 'others' } } as typeof pets;
    const add = (i: number) =>
      statements.insert(i % 2 ? others : pets, { name: `${i % 2}`, categoryId: 1n, status: null });
    await Promise.all(Array.from({ length: 40 }, (_, i) => add(i)));
    expect(await run('SELECT DISTINCT name FROM others')).toEqual([{ name: '1' }]);
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
      ['a trigger that cannot read them', 'TRIGGER judge BEFORE INSERT ON pets', 'RAISE data_exception;'],
      ['a trigger at the commit', AT_THE_COMMIT, 'RAISE check_violation;'],
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
      for (const [i, { key }] of sent.entries()) {
        if (isBad(i)) for (const answer of [first[i]!, second[i]!]) expectError(answer, 'internal_error');
        else expect([first[i]!.status, isReplay(second[i]!), second[i]!.text]).toEqual([201, true, first[i]!.text]);
        expect(await run(`SELECT FROM pets WHERE name LIKE '%${key}'`)).toHaveLength(isBad(i) ? 0 : 1);
      }
    });

    it('answer what a trigger has made of them', async () => {
      await judge('TRIGGER judge BEFORE INSERT ON pets', `new.name := 'Good'; RETURN new;`);
      expectAnswer(await create('Bad'), 201, { id: expect.anything(), name: 'Good', categoryId: 1 });
    });
  });
});

describeInside('Two replicas', () => {
  /** Those that wait too long for an equal request are told to come again. */
  const send = async (replica: Service, ...request: Parameters<Service['post']>): Promise<Answer> => {
    const answer = await replica.post(...request);
    return answer.status === 503 ? send(replica, ...request) : answer;
  };
  /** Sends it to both in turn, all at once. */
  const sendAll = (times: number, path: string, body: object, headers = {}): Promise<Answer[]> =>
    Promise.all(Array.from({ length: times }, (_, i) => send(i % 2 ? other : service, path, body, { headers })));
  const shown = ({ status, text, headers: { location = '' } }: Answer) => [status, location, text].join(' ');

  it.each([
    ['animals', '/v1/pets', async () => ({ name: `Once ${randomUUID()}`, categoryId: 1 })],
    ['orders', '/v1/store/orders', async () => ({ petId: (await addPet(service)).id })],
  ])('carry out equal requests under one key once, and give one answer: %s', async (_, path, bodyOf) => {
    for (let round = 0; round < 5; round++) {
      const headers = { 'idempotency-key': randomUUID() };
      const body = await bodyOf();
      const answers = await sendAll(10, path, body, headers);
      expect([...new Set(answers.map(shown))]).toEqual([expect.stringMatching(/^201 \/v1\//)]);
      const made = answers.filter((answer) => !isReplay(answer));
      expect(made).toHaveLength(1);
      const { id } = made[0]!.json as PetBody;
      const later = (await service.get(`${path}?after=${id}&limit=100`)).json;
      expect(later).not.toContainEqual(expect.objectContaining(body));
    }
  });

  it('take one order for an animal, whoever is asked', async () => {
    for (let round = 0; round < 5; round++) {
      const { id: petId } = await addPet(service);
      const answers = await sendAll(10, '/v1/store/orders', { petId });
      const refused = answers.filter(({ status }) => status !== 201);
      expect(refused).toHaveLength(9);
      for (const answer of refused) expectError(answer, 'animal_not_available');
      expect(await statusOf(other, petId)).toBe('pending');
    }
  });
});

describeOnOneServer('Changes of one order at the same moment', () => {
  it.each([
    [['PATCH', 'DELETE'] as const, [200, 409], 'sold'],
    [['DELETE', 'PATCH'] as const, [204, 404], 'available'],
  ])('take turns: %j answer %j, and the animal is %s', async (methods, statuses, state) => {
    const { id, petId } = await addOrder(service);
    const path = `/v1/store/orders/${id}`;
    const send = { PATCH: () => service.patch(path, { complete: true }), DELETE: () => other.delete(path) };
    const animal = `SELECT FROM pets WHERE id = ${petId} FOR UPDATE`;
    const answers = await whileLocked(animal, ...methods.map((method) => send[method]));
    expect(answers.map(({ status }) => status)).toEqual(statuses);
    expect(await statusOf(service, petId)).toBe(state);
    expect((await service.get(path)).status).toBe(state === 'sold' ? 200 : 404);
  });
});

describeOnOneServer('Rotations of one key at the same moment', () => {
  it('leave it the shorter overlap', async () => {
    const { id } = await service.app.get(KeysService).issue({ name: 'rotated' });
    const rotate = (overlap: number) => () => service.app.get(KeysService).rotate(id, overlap);
    await whileLocked(`SELECT FROM api_keys WHERE id = ${id} FOR UPDATE`, rotate(60_000), rotate(3_600_000));
    const short = `SELECT FROM api_keys WHERE id = ${id} AND expires_at <= now() + interval '1 minute'`;
    expect(await run(short)).toHaveLength(1);
  });
});

describeInside('The record of a request', () => {
  const create = (key: string, body: object = REX, apiKey = service.key, at = service) =>
    at.post('/v1/pets', body, { headers: { 'idempotency-key': key, authorization: `Bearer ${apiKey}` } });

  it('belongs to its API key and to those that replace it; two keys never meet', async () => {
    const keys = service.app.get(KeysService);
    const first = await keys.issue({ name: 'same name' });
    const stranger = await keys.issue({ name: 'same name' });
    const second = await keys.rotate(first.id, 60_000);
    const third = await keys.rotate(second!.id, 60_000);
    const key = randomUUID();
    const { text } = await create(key, REX, first.key);
    for (const successor of [second, third]) {
      const again = await create(key, REX, successor!.key);
      expect([again.text, isReplay(again)]).toEqual([text, true]);
    }
    const strange = await create(key, REX, stranger.key);
    expect([strange.status, isReplay(strange), strange.text === text]).toEqual([201, false, false]);
  });

  it('is kept for 24 hours, and no longer than needed', async () => {
    fakeOnly('setInterval', 'clearInterval');
    const away = await startService({}, undefined, [], service);
    const age = (interval: string) => run(`UPDATE idempotency_records SET created_at = now() - interval '${interval}'`);
    const expired = `SELECT FROM idempotency_records WHERE created_at < now() - interval '24 hours'`;
    const pass = async (): Promise<void> => {
      jest.advanceTimersByTime(60_000);
      await until(async () => (await run(expired)).length === 0);
    };
    const key = randomUUID();
    const { text } = await create(key);
    await age('23 hours 59 minutes');
    const others = "sha256(i::text::bytea), '', 204, null, null, now() - interval '2 days'"; // more than are deleted at once
    await run(`INSERT INTO idempotency_records SELECT ${others} FROM generate_series(1, 6000) AS i`);
    await pass();
    expect((await create(key)).text).toBe(text);
    await run('ALTER TABLE idempotency_records RENAME TO away');
    jest.advanceTimersByTime(60_000);
    await until(async () => /"level":40.*Expired records were not deleted: relation/.test(away.log.join('')));
    await run('ALTER TABLE away RENAME TO idempotency_records');
    await age('24 hours 1 minute');
    const recent = randomUUID();
    await create(recent);
    await pass();
    const later = await create(key, { ...REX, name: 'Max' });
    expect([later.status, isReplay(later)]).toEqual([201, false]);
    expect(isReplay(await create(recent))).toBe(true);
  });

  // On Citus, the coordinator does not show who waits for a lock of a worker.
  describeOnOneServer('of another replica', () => {
    it('makes an equal request to another replica wait for the first', async () => {
      const key = randomUUID();
      const send = [service, other].map((at) => () => create(key, REX, service.key, at));
      const [first, second] = await whileLocked('LOCK TABLE pets IN EXCLUSIVE MODE', ...send);
      expect([first!.status, isReplay(second!), second!.text]).toEqual([201, true, first!.text]);
    });
  });

  describeOnOneServer('is stored with the change, or neither is', () => {
    it.each([
      ['record', () => run('ALTER TABLE idempotency_records ADD CONSTRAINT no_records CHECK (status = 0) NOT VALID')],
      ['change at its commit', () => judge(AT_THE_COMMIT, 'RAISE check_violation;')],
    ])('although the database refuses the %s', async (_, refuse) => {
      await refuse();
      const key = randomUUID();
      const pet = { ...REX, name: `Bad ${key}` };
      const refused = await create(key, pet);
      await allowAll();
      expectError(refused, 'internal_error');
      expect(refused.headers).not.toHaveProperty('location');
      expect(await run(`SELECT FROM pets WHERE name = '${pet.name}'`)).toEqual([]);
      const again = await create(key, pet);
      expect([again.status, isReplay(again)]).toEqual([201, false]);
      expect(await run(`SELECT FROM pets WHERE name = '${pet.name}'`)).toHaveLength(1);
    });
  });
});
