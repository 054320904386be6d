import { Check, Column, Entity, ForeignKey, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { Decimal } from '../api/validation/rule.js';
import { jsonOf } from '../database/json-of.js';
import { Kept } from '../database/kept.js';
// $fieldImportsHere$

@Kept('$keeping$')
@Entity('sample_things')
// $indices$
// $checks$
export class SampleThing {
  @PrimaryGeneratedColumn('identity', {
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'sample_things_pkey',
  })
  readonly id!: bigint;

  // $columns$
}
