import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { getRepositoryToken } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { DatabaseBusy, DatabaseOutage } from '../../src/database/database-errors.js';
import { meaningOf } from '../../src/database/sqlstate.js';
import { PipelinedBatch } from '../../src/database/batching/pipelined-batch.js';
import type { BatchedRepository } from '../../src/database/batching/batched-repository.js';
import { Pet } from '../../src/pets/pet.entity.js';
import { describeOffCluster, isCluster } from './support/database.js';
import { type Service, startService } from './support/service.js';

/** Requests of different clients share batches and must not affect each other. */
describe('Batched statements', () => {
  let service: Service;
  let pets: BatchedRepository<Pet>;
  beforeAll(async () => {
    service = await startService();
    pets = service.app.get<BatchedRepository<Pet>>(getRepositoryToken(Pet));
  });
  afterAll(() => service.stop());

  /** The engine of a busy machine may take longer than any request waits; that says nothing about the batches. */
  const isTooLate = ({ status }: { status: number }): boolean => status === 503;
  const animal = (name: string) => ({ name, categoryId: 1n, status: null });

  it('fail individually: one error does not affect the others', async () => {
    // Validation would refuse these names, which break a constraint of the table.
    const names = ['a', 'b', '', 'c', 'x'.repeat(256), 'd'];
    const outcomes = await Promise.allSettled(names.map((name) => pets.add(animal(name))));
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: '23514' });
      else expect(await pets.readOne({ id: outcome.value.id })).toEqual({ ...outcome.value, name: names[i] });
    }
  });

  describeOffCluster('isolate an error', () => {
    const run = (sql: string) => service.app.get(DataSource).query(sql);
    afterEach(async () => {
      await run('DROP FUNCTION IF EXISTS misbehave CASCADE');
      await run('ALTER TABLE pets DROP CONSTRAINT IF EXISTS pets_name_once');
    });

    const misbehave = (body: string): Promise<unknown> =>
      run(`CREATE FUNCTION misbehave() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} RETURN new; END $$;
        CREATE TRIGGER misbehave BEFORE INSERT ON pets FOR EACH ROW EXECUTE FUNCTION misbehave()`);

    /** Inserts 16 animals at once, every third of them bad, and returns the outcomes of the bad ones. */
    async function insertBadOnes(nameOf: (i: number) => string): Promise<unknown[]> {
      const names = Array.from({ length: 16 }, (_, i) => (i % 3 === 1 ? nameOf(i) : `good ${i}`));
      const insertAll = () => Promise.allSettled(names.map((name) => pets.add(animal(name))));
      let outcomes = await insertAll();
      // A busy machine may be too slow for some of them.
      for (let attempt = 0; outcomes.some(isLate) && attempt < 10; attempt++) outcomes = await insertAll();
      for (const [i, outcome] of outcomes.entries()) {
        if (i % 3 !== 1) expect(outcome).toMatchObject({ status: 'fulfilled', value: { name: names[i] } });
      }
      const bad = outcomes.filter((_, i) => i % 3 === 1);
      return bad.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : outcome.value));
    }

    const isLate = (outcome: PromiseSettledResult<Pet>): boolean =>
      outcome.status === 'rejected' &&
      outcome.reason instanceof DatabaseBusy &&
      outcome.reason.cause === undefined;

    it.each([
      'P0001',
      '08006',
      '0A000',
      '22021',
      '42P01',
      '26000',
      '40001',
      '40003',
      '53100',
      '54000',
      '55P03',
      '57014',
      'XX000',
      'ZZ999',
    ])('with the code %s', async (code) => {
      await misbehave(`IF new.name LIKE 'bad%' THEN RAISE 'no' USING ERRCODE = '${code}'; END IF;`);
      const isOwn = meaningOf(code) === 'own';
      for (const reason of await insertBadOnes((i) => `bad ${i}`)) {
        if (isOwn) expect(reason).toMatchObject({ code });
        else expect(reason).toBeInstanceOf(DatabaseOutage);
      }
    });

    it('raised at the commit', async () => {
      await run('DELETE FROM pets');
      await pets.add(animal('there can be only one'));
      await run('ALTER TABLE pets ADD CONSTRAINT pets_name_once UNIQUE (name) DEFERRABLE INITIALLY DEFERRED');
      for (const reason of await insertBadOnes(() => 'there can be only one'))
        expect(reason).toMatchObject({ code: '23505' });
      expect(await run(`SELECT FROM pets WHERE name = 'there can be only one'`)).toHaveLength(1);
    });

    it('and the log has its code, and nothing that a client sent', async () => {
      const quoting = (code: string) =>
        `RAISE 'no %', new.name USING DETAIL = new.name, HINT = new.name, ERRCODE = '${code}';`;
      const named = `IF new.name = 'Rex of P0001' THEN ${quoting('P0001')} END IF;`;
      await misbehave(`${named} IF new.name = 'Rex of 53200' THEN ${quoting('53200')} END IF;`);
      await run("ALTER TABLE pets ADD CONSTRAINT pets_name_once CHECK (name <> 'Rex of 23514')");
      const before = service.log.length;
      for (const [code, status] of Object.entries({ P0001: 500, 23514: 500, 53200: 503 })) {
        const answer = await service.post('/v1/pets', { name: `Rex of ${code}`, categoryId: 1 });
        expect(answer.status).toBe(status);
        expect(service.log.slice(before).join('')).toContain(code);
      }
      expect(service.log.slice(before).join('')).not.toContain('Rex');
    });

    it('and keep their rows when a trigger gives them other ids', async () => {
      await misbehave(`new.id = new.id + 1000000;`);
      for (const pet of await insertBadOnes((i) => `bad ${i}`))
        expect(pet).toMatchObject({ name: expect.stringMatching(/^bad/) });
      await run('DELETE FROM pets');
    });

    it('and never return the row of another insert when a trigger suppresses one', async () => {
      await misbehave(`IF new.name LIKE 'bad%' THEN RETURN NULL; END IF;`);
      for (const reason of await insertBadOnes((i) => `bad ${i}`))
        expect(reason).toMatchObject({ message: 'The database stored no row of Pet.' });
    });
  });

  it('return each caller its own rows', async () => {
    const ids = (await Promise.all(Array.from({ length: 150 }, (_, i) => pets.add(animal(`own ${i}`))))).map(
      ({ id }) => id,
    );
    expect(new Set(ids).size).toBe(150);
    const found = await Promise.all(ids.map((id) => pets.readOne({ id })));
    expect(found.map((pet) => pet?.name)).toEqual(ids.map((_, i) => `own ${i}`));
    const pages = await Promise.all(ids.map((id) => pets.readPage({ after: id - 1n, limit: 1 })));
    expect(pages.map(({ items: [first] }) => first?.id)).toEqual(ids);
  });

  it('keep values exact, whatever characters they contain', async () => {
    const names = [
      'NULL',
      '{a,b}',
      'a,b',
      '"',
      '\\',
      "'",
      '\\"',
      ' a ',
      '\n',
      '(1)',
      '\u{1f415}',
      '\u0001',
      '$1',
      '--',
    ];
    const animals = names.map((name, i) => ({
      name,
      categoryId: [-(2n ** 63n), 2n ** 63n - 1n, 0n][i % 3] as bigint,
      status: ([null, 'sold', 'pending'] as const)[i % 3] as Pet['status'],
    }));
    const inserted = await Promise.all(animals.map((each) => pets.add(each)));
    expect(inserted).toEqual(animals.map((each, i) => ({ ...each, id: inserted[i]?.id })));
    const found = await Promise.all(inserted.map(({ id }) => pets.readOne({ id })));
    expect(found).toEqual(inserted);
  });

  it('see every write acknowledged before them', async () => {
    await Promise.all(
      Array.from({ length: 20 }, async (_, writer) => {
        for (let i = 0; i < 10; i++) {
          const created = await service.post('/v1/pets', { name: `w${writer}-${i}`, categoryId: 1 });
          if (isTooLate(created)) continue;
          const { id } = created.json as { id: number };
          const page = await service.get(`/v1/pets?limit=1&after=${id - 1}`);
          if (isTooLate(page)) continue;
          expect(page.json).toMatchObject([{ id, name: `w${writer}-${i}` }]);
        }
      }),
    );
  });

  it('are sent once for identical concurrent reads', async () => {
    const submit = jest.spyOn(PipelinedBatch.prototype, 'submit');
    const { id } = await pets.add(animal('popular'));
    submit.mockClear();
    const before = Promise.all(Array.from({ length: 50 }, () => pets.readOne({ id })));
    expect((await before).map((pet) => pet?.name)).toEqual(Array.from({ length: 50 }, () => 'popular'));
    // On a cluster, each of two workers is sent them once, after the coordinator was asked.
    expect(submit.mock.calls.length).toBeLessThanOrEqual(isCluster ? 4 : 1);
    submit.mockRestore();
  });

  it('never share the answer of a read that was already sent', async () => {
    const { id: last } = await pets.add(animal('the last so far'));
    const ask = () => pets.readPage({ after: last, limit: 100 });
    for (let known = 1; known <= 20; known++) {
      const early = ask();
      await pets.add(animal(`number ${known}`));
      expect((await ask()).items).toHaveLength(known);
      await early;
    }
  });

  it('do not confuse values that look alike when concatenated', async () => {
    const { id } = await pets.add({ name: 'p\nsold', categoryId: 1n, status: 'available' });
    const [found, other] = await Promise.all([
      pets.readPage({ filters: { name: 'p\nsold', status: 'available' }, limit: 5 }),
      pets.readPage({ filters: { name: 'p', status: 'sold\navailable' as never }, limit: 5 }),
    ]);
    expect([found, other].map(({ items }) => items.map((pet) => pet.id))).toEqual([[id], []]);
    const { id: next } = await pets.add(animal('next'));
    const lists = [[id], [next], [id, next], id, [BigInt(`${id}${next}`)]];
    const pages = await Promise.all(lists.map((of) => pets.readPage({ filters: { id: of }, limit: 5 })));
    const read = pages.map(({ items }) => items.map((pet) => pet.id));
    expect(read).toEqual([[id], [next], [id, next], [id], []]);
  });
});
