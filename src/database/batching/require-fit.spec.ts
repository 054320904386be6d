import { describe, expect, it } from '@jest/globals';
import {
  AfterLoad,
  Column,
  DataSource,
  DeleteDateColumn,
  Entity,
  type EntityMetadata,
  JoinColumn,
  ManyToOne,
  OneToMany,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  VersionColumn,
} from 'typeorm';
import { requireFit } from './require-fit.js';

const ID = { type: 'bigint', generatedIdentity: 'ALWAYS' } as const;

@Entity()
class Hidden {
  @PrimaryGeneratedColumn('identity', ID)
  readonly id!: bigint;

  @Column('text', { select: false })
  readonly secret!: string;
}

@Entity()
class Removable {
  @PrimaryGeneratedColumn('identity', ID)
  readonly id!: bigint;

  @DeleteDateColumn()
  readonly removedAt!: Date | null;
}

@Entity()
class Versioned {
  @PrimaryGeneratedColumn('identity', ID)
  readonly id!: bigint;

  @VersionColumn()
  readonly version!: number;
}

@Entity()
class Transformed {
  @PrimaryGeneratedColumn('identity', ID)
  readonly id!: bigint;

  @Column('text', { transformer: { from: String, to: String } })
  readonly text!: string;
}

class Address {
  @Column('text')
  readonly city!: string;
}

@Entity()
class Embedding {
  @PrimaryGeneratedColumn('identity', ID)
  readonly id!: bigint;

  @Column(() => Address)
  readonly address!: Address;
}

@Entity()
class Listening {
  @PrimaryGeneratedColumn('identity', ID)
  readonly id!: bigint;

  @AfterLoad()
  greet(): void {}
}

@Entity()
class Related {
  @PrimaryGeneratedColumn('identity', ID)
  readonly id!: bigint;

  @ManyToOne(() => Hidden)
  readonly owner!: Hidden;
}

@Entity()
class Eager {
  @PrimaryGeneratedColumn('identity', ID)
  readonly id!: bigint;

  @Column('bigint')
  readonly ownerId!: bigint;

  @ManyToOne(() => Hidden, { eager: true })
  readonly owner!: Hidden;
}

@Entity()
class Keyed {
  @PrimaryColumn('bigint')
  readonly id!: bigint;
}

@Entity()
class Fitting {
  @PrimaryGeneratedColumn('identity', ID)
  readonly id!: bigint;

  @Column('bigint', { name: 'parent_id' })
  readonly parentId!: bigint;

  @ManyToOne(() => Fitting)
  @JoinColumn({ name: 'parent_id' })
  readonly parent?: Fitting;

  @OneToMany(() => Fitting, ({ parent }) => parent as Fitting)
  readonly children?: Fitting[];
}

/** Builds metadata without a database. */
class Described extends DataSource {
  async entity(target: new () => object): Promise<EntityMetadata> {
    await this.buildMetadatas();
    return this.getMetadata(target);
  }
}

const metadataOf = (entity: new () => object): Promise<EntityMetadata> =>
  new Described({ type: 'postgres', entities: [entity, Hidden] }).entity(entity);

describe('requireFit', () => {
  it.each([
    [Hidden, 'Hidden.secret is not selected by default.'],
    [Removable, 'Removable.removedAt marks deleted rows.'],
    [Versioned, 'Versioned.version is a version that TypeORM counts.'],
    [Transformed, 'Transformed.text has a transformer.'],
    [Embedding, 'Embedding.address.city is a property of an embedded class.'],
    [Listening, 'Listening.greet is called at after-load.'],
    [Related, 'Related.owner is a relation without a property for its column ownerId'],
    [Eager, 'Eager.owner is a relation that is loaded with its entity.'],
    [Keyed, 'Keyed.id is not the primary key of Keyed, generated'],
  ])('refuses %p', async (entity, message) => {
    const metadata = await metadataOf(entity);
    expect(() => requireFit(metadata)).toThrow(message);
    expect(() => requireFit(metadata)).toThrow('TypeOrmModule.forFeature');
  });

  it('takes a relation whose column is a property, and the other side of a relation', async () => {
    const metadata = await metadataOf(Fitting);
    expect(() => requireFit(metadata)).not.toThrow();
  });
});
