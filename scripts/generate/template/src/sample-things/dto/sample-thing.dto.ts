import { ApiSchema } from '@nestjs/swagger';
import { Field } from '../../api/validation/field.decorator.js';
import { type Decimal, int64 } from '../../api/validation/rule.js';
import type { SampleThing } from '../sample-thing.entity.js';
// $fieldImports$
import { $imported$ } from './sample-thing.fields.js';

@ApiSchema({ name: 'SampleThing', description: 'A sample thing of the catalogue.' })
export class SampleThingDto {
  @Field(int64(), { description: 'Unique identifier assigned by the service on creation.', example: 1 })
  readonly id!: bigint;

  // $output$

  static from({ id, $names$ }: SampleThing): SampleThingDto {
    return { id, $shown$ };
  }
}
