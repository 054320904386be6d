import { Check, Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

@Entity('sample_things')
@Check('sample_things_name_length', 'char_length(name) BETWEEN 1 AND 255')
export class SampleThing {
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'sample_things_pkey',
  })
  readonly id!: bigint;

  @Column('text')
  readonly name!: string;
}
