import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Batch } from '../../src/database/batching/batch.js';
import { type Store, storeOf } from '../../src/database/batching/store.js';
import { Pet } from '../../src/pets/pet.entity.js';
import { type Service, startService } from './support/service.js';

/** The requests of different clients go to the database together; none of them may notice. */
describe('Batched statements', () => {
  let service: Service;
  let pets: Store<Pet>;
  beforeAll(async () => {
    service = await startService();
    pets = service.app.get<Store<Pet>>(storeOf(Pet));
  });
  afterAll(() => service.stop());

  const animal = (name: string) => ({ name, categoryId: 1n, status: null });

  it('fail individually: one error does not affect the others', async () => {
    // As no request could bring it: it breaks a constraint of the table.
    const names = ['a', 'b', '', 'c', 'x'.repeat(256), 'd'];
    const outcomes = await Promise.allSettled(names.map((name) => pets.insert(animal(name))));
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
      else
        expect(await pets.findOneBy({ id: outcome.value.id })).toEqual({ ...outcome.value, name: names[i] });
    }
  });

  it('return each caller its own rows', async () => {
    const ids = (
      await Promise.all(Array.from({ length: 150 }, (_, i) => pets.insert(animal(`own ${i}`))))
    ).map(({ id }) => id);
    expect(new Set(ids).size).toBe(150);
    const found = await Promise.all(ids.map((id) => pets.findOneBy({ id })));
    expect(found.map((pet) => pet?.name)).toEqual(ids.map((_, i) => `own ${i}`));
    const pages = await Promise.all(ids.map((id) => pets.findPage({ after: id - 1n, limit: 1 })));
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
    const inserted = await Promise.all(animals.map((each) => pets.insert(each)));
    expect(inserted).toEqual(animals.map((each, i) => ({ ...each, id: inserted[i]?.id })));
    const found = await Promise.all(inserted.map(({ id }) => pets.findOneBy({ id })));
    expect(found).toEqual(inserted);
  });

  it('see every write acknowledged before them', async () => {
    await Promise.all(
      Array.from({ length: 20 }, async (_, writer) => {
        for (let i = 0; i < 10; i++) {
          const { json } = await service.post('/v1/pets', { name: `w${writer}-${i}`, categoryId: 1 });
          const { id } = json as { id: number };
          const page = (await service.get(`/v1/pets?limit=1&after=${id - 1}`)).json;
          expect(page).toMatchObject([{ id, name: `w${writer}-${i}` }]);
        }
      }),
    );
  });

  it('are sent once for identical concurrent reads', async () => {
    const submit = jest.spyOn(Batch.prototype, 'submit');
    const { id } = await pets.insert(animal('popular'));
    submit.mockClear();
    const before = Promise.all(Array.from({ length: 50 }, () => pets.findOneBy({ id })));
    expect((await before).map((pet) => pet?.name)).toEqual(Array.from({ length: 50 }, () => 'popular'));
    expect(submit).toHaveBeenCalledTimes(1);
    submit.mockRestore();
  });

  it('never share the answer of a read that was already sent', async () => {
    const { id: last } = await pets.insert(animal('the last so far'));
    const ask = () => pets.findPage({ after: last, limit: 100 });
    for (let known = 1; known <= 20; known++) {
      const early = ask();
      await pets.insert(animal(`number ${known}`));
      expect((await ask()).items).toHaveLength(known);
      await early;
    }
  });

  it('do not confuse values that look alike when concatenated', async () => {
    const { id } = await pets.insert({ name: 'p\nsold', categoryId: 1n, status: 'available' });
    const [found, other] = await Promise.all([
      pets.findPage({ where: { name: 'p\nsold', status: 'available' }, limit: 5 }),
      pets.findPage({ where: { name: 'p', status: 'sold\navailable' as never }, limit: 5 }),
    ]);
    expect([found, other].map(({ items }) => items.map((pet) => pet.id))).toEqual([[id], []]);
  });
});
