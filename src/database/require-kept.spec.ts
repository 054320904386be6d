import { describe, expect, it } from '@jest/globals';
import {
  Column,
  DataSource,
  Entity,
  type EntityMetadata,
  ForeignKey,
  Index,
  PrimaryGeneratedColumn,
} from 'typeorm';
import { Kept, placeOf } from './kept.js';
import { requireKept } from './require-kept.js';

class Row {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  readonly id!: bigint;
}

@Entity()
class Silent extends Row {}

@Entity()
@Kept('unsupported')
class Refused extends Row {}

@Entity()
@Kept('distributed')
class Owner extends Row {}

@Entity()
@Kept('everywhere')
class Breed extends Row {}

@Entity()
@Kept('distributed')
class Dog extends Row {
  @ForeignKey(() => Owner)
  @Column('bigint')
  readonly ownerId!: bigint;

  @ForeignKey(() => Breed)
  @Column('bigint', { nullable: true })
  readonly breedId!: bigint | null;
}

@Entity()
@Kept('distributed')
@Index(['chip'], { unique: true })
class Chipped extends Row {
  @Column('text')
  readonly chip!: string;
}

@Entity()
@Kept('distributed')
class Stray extends Row {
  @ForeignKey(() => Owner)
  @Column('bigint', { nullable: true })
  readonly ownerId!: bigint | null;
}

@Entity()
@Kept('distributed')
class Sale extends Row {
  @ForeignKey(() => Owner)
  @Column('bigint')
  readonly buyerId!: bigint;

  @ForeignKey(() => Owner)
  @Column('bigint')
  readonly sellerId!: bigint;
}

@Entity()
@Kept('distributed')
class Walk extends Row {
  @ForeignKey(() => Dog)
  @Column('bigint')
  readonly dogId!: bigint;
}

@Entity()
@Kept('everywhere')
class Licence extends Row {
  @ForeignKey(() => Owner)
  @Column('bigint')
  readonly ownerId!: bigint;
}

@Entity()
@Kept('local')
class Note extends Row {
  @ForeignKey(() => Breed)
  @Column('bigint')
  readonly breedId!: bigint;
}

const ENTITIES = [Silent, Refused, Owner, Breed, Dog, Chipped, Stray, Sale, Walk, Licence, Note];

class Described extends DataSource {
  async entity(target: new () => object): Promise<EntityMetadata> {
    await this.buildMetadatas();
    return this.getMetadata(target);
  }
}

const metadataOf = (entity: new () => object): Promise<EntityMetadata> =>
  new Described({ type: 'postgres', entities: ENTITIES }).entity(entity);

describe('requireKept', () => {
  it.each([
    [Silent, "Silent does not say how a cluster keeps its table: add @Kept('distributed')"],
    [Refused, "Refused says so, by @Kept('unsupported')."],
    [
      Chipped,
      "Chipped.chip is unique, and rows with equal values could lie on different nodes: add @Kept('everywhere') to Chipped",
    ],
    [Stray, 'Stray.ownerId decides where a row of Stray lies, so it is one column, and not nullable.'],
    [Sale, 'Sale.sellerId is the second reference of Sale to a distributed table'],
    [Walk, 'Walk.dogId refers to Dog, whose rows do not lie by their own id'],
    [Licence, "Licence.ownerId refers to Owner, which is distributed: add @Kept('distributed') to Licence"],
    [Note, 'Note.breedId refers to Breed, and only one of the two is local'],
  ])('refuses %p', async (entity, message) => {
    const metadata = await metadataOf(entity);
    expect(() => requireKept(metadata)).toThrow(message);
  });

  it.each([
    [Owner, 'id'],
    [Dog, 'ownerId'],
    [Breed, 'id'],
  ])('takes %p', async (entity, place) => {
    const metadata = await metadataOf(entity);
    expect(() => requireKept(metadata)).not.toThrow();
    expect(placeOf(metadata).propertyName).toBe(place);
  });
});
