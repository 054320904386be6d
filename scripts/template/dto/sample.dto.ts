import { ApiSchema } from '@nestjs/swagger';
import { DateTime, Int64, Text } from '../../../src/api/fields.js';
import { PageQuery } from '../../../src/api/pages.js';
import type { Sample } from '../sample.entity.js';

const NAME_LENGTH = { minLength: 1, maxLength: 255 };
const NAME = { description: 'The name, which no other has.', example: 'First' };
const OPEN_FROM = { description: 'When it opens.', example: '2026-03-31T14:30:00.000Z', optional: true };

@ApiSchema({ name: 'NewSample', description: 'A sample to add. The service assigns its id.' })
export class NewSampleDto {
  @Text(NAME_LENGTH, NAME) readonly name!: string;
  @DateTime(OPEN_FROM) readonly openFrom?: Date;
}

@ApiSchema({ name: 'SampleChange', description: 'The fields of a sample to change.' })
export class SampleChangeDto {
  @Text(NAME_LENGTH, { ...NAME, optional: true }) readonly name?: string;
  @DateTime({ ...OPEN_FROM, nullable: true }) readonly openFrom?: Date | null;
}

@ApiSchema({ name: 'Sample', description: 'One of the samples.' })
export class SampleDto {
  @Int64({ description: 'Unique identifier assigned by the service on creation.', example: 1 }) readonly id!: bigint;

  @Text(NAME_LENGTH, NAME) readonly name!: string;
  @DateTime(OPEN_FROM) readonly openFrom?: Date;

  static from({ id, name, openFrom }: Sample): SampleDto {
    return { id, name, ...(openFrom && { openFrom }) };
  }
}

export class SamplePath {
  @Int64({ description: 'Identifier of the sample.', example: 1 }) readonly sampleId!: bigint;
}

/** Add filters here. */
export class ListSamplesQuery extends PageQuery {}
