import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { getRepositoryToken } from '@nestjs/typeorm';
import {
  Column,
  Entity,
  Index,
  IsNull,
  JoinColumn,
  ManyToOne,
  Not,
  PrimaryGeneratedColumn,
  type QueryRunner,
} from 'typeorm';
import { parseJson } from '../../src/common/json/parse-json.js';
import type { BatchedRepository } from '../../src/database/batching/batched-repository.js';
import { DatabaseBusy } from '../../src/database/database-errors.js';
import { Kept } from '../../src/database/kept.js';
import { describeInside } from './support/deployment.js';
import { type Feature, startFeature } from './support/feature.js';

const ID = { type: 'bigint', generatedIdentity: 'ALWAYS' } as const;

@Kept('everywhere')
@Entity('makers')
@Index('makers_name', ['name'], { unique: true })
@Index('makers_town', ['town'], { unique: true, where: 'town IS NOT NULL' })
class Maker {
  @PrimaryGeneratedColumn('identity', ID)
  readonly id!: bigint;

  @Column('text')
  readonly name!: string;

  @Column('text', { nullable: true })
  readonly town!: string | null;
}

@Kept('distributed')
@Entity('kites')
class Kite {
  @PrimaryGeneratedColumn('identity', ID)
  readonly id!: bigint;

  @Column('jsonb', { nullable: true })
  readonly details!: unknown;

  @Column('date', { name: 'made_on', nullable: true })
  readonly madeOn!: string | null;

  @Column('text', { array: true, default: [] })
  readonly tags!: string[];

  @Column('boolean', { default: true })
  readonly flies!: boolean | undefined;

  @ManyToOne(() => Maker)
  @JoinColumn({ name: 'maker_id', foreignKeyConstraintName: 'kites_maker' })
  readonly maker?: Maker;

  @Column('bigint', { name: 'maker_id', nullable: true })
  readonly makerId!: bigint | null;
}

class CreateKites1000000000000 {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE makers (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, town text);
      CREATE UNIQUE INDEX makers_name ON makers (name);
      CREATE UNIQUE INDEX makers_town ON makers (town) WHERE town IS NOT NULL;
      CREATE TABLE kites (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        details jsonb,
        made_on date,
        tags text[] NOT NULL DEFAULT '{}',
        flies boolean NOT NULL DEFAULT true,
        maker_id bigint CONSTRAINT kites_maker REFERENCES makers
      )`);
  }

  async down(): Promise<void> {}
}

const KITE = { details: null, madeOn: null, tags: [], flies: true, makerId: null };

/** Repeats what a busy machine was too slow for. */
async function patiently<T>(use: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await use();
    } catch (error) {
      if (!(error instanceof DatabaseBusy) || attempt === 10) throw error;
    }
  }
}

describeInside('The fast methods of a repository', () => {
  let feature: Feature;
  let kites: BatchedRepository<Kite>;
  beforeAll(async () => {
    feature = await startFeature([Kite, Maker], [CreateKites1000000000000]);
    kites = feature.app.get(getRepositoryToken(Kite));
  });
  afterAll(() => feature.stop());

  const details = [{ a: [1, '"', null] }, [1, 2], 'text', 5, true, {}].map((each) => [each]);
  it.each(details)('store and read %j in a jsonb column as TypeORM does', async (given) => {
    const { id } = await patiently(() => kites.add({ ...KITE, details: given }));
    expect(await patiently(() => kites.readOne({ id }))).toMatchObject({ details: given });
    expect(await kites.findOneBy({ id })).toEqual(await patiently(() => kites.readOne({ id })));
  });

  it('reject a value that cannot be encoded, and only its caller', async () => {
    const unencodable = parseJson('{"id":9007199254740993}');
    const given = ['a', unencodable, 'b', { toJSON: () => unencodable }, 'c'];
    const outcomes = await Promise.allSettled(
      given.map((value) => patiently(() => kites.add({ ...KITE, details: value }))),
    );
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(outcomes[1]).toMatchObject({
      reason: { message: 'A value of Kite.details cannot be sent to the database.' },
    });
    await expect(kites.readOne({ details: unencodable })).rejects.toThrow('Kite.details');
  });

  it('treat dates, arrays, defaults and the column of a relation as TypeORM does', async () => {
    const { id: makerId } = await patiently(() =>
      feature.app.get<BatchedRepository<Maker>>(getRepositoryToken(Maker)).save({ name: 'z' }),
    );
    const given = { details: null, madeOn: '2026-01-31', tags: ['a,b', '"'], flies: undefined, makerId };
    const added = await patiently(() => kites.add(given));
    expect(added).toEqual({ ...given, id: added.id, flies: true });
    expect(await kites.findOneBy({ id: added.id })).toEqual(added);
    const { items } = await patiently(() => kites.readPage({ filters: { makerId }, limit: 5 }));
    expect(items).toEqual([added]);
    const joined = await kites.findOne({ where: { id: added.id }, relations: { maker: true } });
    expect(joined?.maker).toMatchObject({ id: makerId });
  });

  it('read pages in the order of a unique property, which the cursor has', async () => {
    const makers = feature.app.get<BatchedRepository<Maker>>(getRepositoryToken(Maker));
    for (const name of ['c', 'a&b', 'b', 'd'])
      await patiently(() => makers.add({ name, town: 'Ulm' + name }));
    const first = await patiently(() => makers.readPage({ by: 'name', limit: 2 }));
    expect(first.items.map(({ name }) => name)).toEqual(['a&b', 'b']);
    expect(first.nextCursor).toBe('b');
    const rest = await patiently(() => makers.readPage({ by: 'name', after: 'b', limit: 2 }));
    expect(rest.items.map(({ name }) => name)).toEqual(['c', 'd']);
    const filters = { town: 'Ulmc' };
    const ofTown = await patiently(() => makers.readPage({ by: 'name', filters, after: 'b', limit: 2 }));
    expect(ofTown).toMatchObject({ items: [{ name: 'c' }], nextCursor: undefined });
    const towns = { town: ['Ulmd', 'Ulmb', 'Ulmc'] };
    const ofTowns = makers.readPage({ by: 'name', filters: towns, after: 'b', limit: 1 });
    expect(await ofTowns).toMatchObject({ items: [{ name: 'c' }], nextCursor: 'c' });
  });

  it('read pages of the rows whose property is in a list, exactly', async () => {
    const makers = feature.app.get<BatchedRepository<Maker>>(getRepositoryToken(Maker));
    const ids = [-(2n ** 63n), -1n, 2n ** 53n + 1n, 2n ** 63n - 1n];
    for (const id of ids)
      await makers.query(`INSERT INTO makers (id, name, town) OVERRIDING SYSTEM VALUE VALUES ($1, $2, $3)`, [
        id,
        `maker "${id}", {null}\\`,
        `Bonn${id}`,
      ]);
    const read = async (request: Parameters<typeof makers.readPage>[0]) =>
      (await patiently(() => makers.readPage(request))).items.map(({ id }) => id);
    const names = ids.map((id) => `maker "${id}", {null}\\`);
    expect(await read({ filters: { id: ids.toReversed() }, limit: 5 })).toEqual(ids);
    expect(await read({ filters: { id: ids }, after: -1n, limit: 5 })).toEqual(ids.slice(2));
    expect(await read({ filters: { id: ids.map((id) => id ^ 1n) }, limit: 5 })).toEqual([]);
    expect(await read({ filters: { name: names, town: `Bonn${ids[2]}` }, limit: 5 })).toEqual([ids[2]]);
    expect(await read({ filters: { id: ids, name: names.slice(1) }, limit: 5 })).toEqual(ids.slice(1));
    expect(await read({ filters: { id: [] }, limit: 5 })).toEqual([]);
  });

  it('refuse a list that would match something else', async () => {
    const read = (filters: object) => kites.readPage({ filters, limit: 1 });
    await expect(read({ makerId: [1n, null] })).rejects.toThrow(
      'A list of values of Kite.makerId contains null.',
    );
    await expect(read({ tags: ['a'] })).rejects.toThrow('A filter cannot list values of Kite.tags');
  });

  it('refuse the order of a property that rows may share or lack', async () => {
    const makers = feature.app.get<BatchedRepository<Maker>>(getRepositoryToken(Maker));
    const message = 'A list by Maker.town needs a unique index on that property alone';
    await expect(makers.readPage({ by: 'town' as never, limit: 2 })).rejects.toThrow(message);
  });

  it('return instances of the entity', async () => {
    const { id } = await patiently(() => kites.add(KITE));
    expect(await patiently(() => kites.readOne({ id }))).toBeInstanceOf(Kite);
  });

  it('change one row if it equals the conditions, and return it', async () => {
    const added = await patiently(() => kites.add({ ...KITE, madeOn: '2026-01-31' }));
    const other = await patiently(() => kites.add(KITE));
    const { id } = added;
    const changed = { ...added, flies: false, madeOn: null };
    expect(await kites.change({ id, flies: true }, { flies: false, madeOn: null, tags: undefined })).toEqual(
      changed,
    );
    expect(await kites.change({ id, flies: true }, { flies: false })).toBeNull();
    expect(await kites.change({ id, madeOn: IsNull() }, { flies: false })).toEqual(changed);
    expect(await patiently(() => kites.change({ id, madeOn: IsNull() }, {}))).toEqual(changed);
    expect(await patiently(() => kites.change({ id }, { tags: undefined }))).toEqual(changed);
    expect(await patiently(() => kites.readOne({ id: other.id }))).toEqual(other);
    await expect(kites.change({}, { flies: false })).rejects.toThrow('Kite.change() needs a condition.');
    const absent = undefined as unknown as bigint;
    await expect(kites.change({ id: absent }, { flies: false })).rejects.toThrow('undefined');
  });

  it('delete one row if it equals the conditions, and return it', async () => {
    const [added, other] = [await patiently(() => kites.add(KITE)), await patiently(() => kites.add(KITE))];
    const { id } = added;
    expect(await kites.discard({ id, flies: !KITE.flies })).toBeNull();
    expect(await kites.discard({ id, madeOn: Not(IsNull()) })).toBeNull();
    expect(await kites.discard({ id, flies: KITE.flies })).toEqual(added);
    expect(await patiently(() => kites.readOne({ id }))).toBeNull();
    expect(await patiently(() => kites.readOne({ id: other.id }))).toEqual(other);
    await expect(kites.discard({})).rejects.toThrow('Kite.discard() needs a condition.');
  });

  it('refuse conditions that equal nothing or everything', async () => {
    const absent = undefined as unknown as bigint;
    await expect(kites.readOne({ id: absent })).rejects.toThrow('A condition on Kite is undefined.');
    await expect(kites.findOneBy({ id: absent })).rejects.toThrow('undefined');
    await expect(kites.readOne({ madeOn: null })).rejects.toThrow('A condition on Kite is null.');
    await expect(kites.readOne({})).rejects.toThrow('Kite.readOne() needs a condition.');
    await expect(kites.readPage({ filters: { madeOn: null }, limit: 1 })).rejects.toThrow('null');
  });
});

@Kept('distributed')
@Entity()
class Hidden {
  @PrimaryGeneratedColumn('identity', ID)
  readonly id!: bigint;

  @Column('text', { select: false })
  readonly secret!: string;
}

describeInside('An entity that the fast methods do not support', () => {
  it('fails the start', async () => {
    await expect(startFeature([Hidden], [])).rejects.toThrow('Hidden.secret is not selected by default.');
  });
});
