import { ApiSchema } from '@nestjs/swagger';
import { Field } from '../../api/validation/field.decorator.js';
import { int64 } from '../../api/validation/rule.js';
import type { SampleThing } from '../sample-thing.entity.js';
import { SampleThingName } from './sample-thing.fields.js';

@ApiSchema({ name: 'SampleThing', description: 'A sample thing of the catalogue.' })
export class SampleThingDto {
  @Field(int64(), { description: 'Unique identifier assigned by the service on creation.', example: 1 })
  readonly id!: bigint;

  @SampleThingName()
  readonly name!: string;

  static from({ id, name }: SampleThing): SampleThingDto {
    return { id, name };
  }
}
