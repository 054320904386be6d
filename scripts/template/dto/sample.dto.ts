import { ApiSchema } from '@nestjs/swagger';
import { DateTime, Int, Int64, Text } from '../../../src/api/fields.js';
import { PageQuery } from '../../../src/api/pages.js';
import type { Sample } from '../sample.entity.js';

const NAME_LENGTH = { minLength: 1, maxLength: 255 };
const NAME = { description: 'The name, which no other has.', example: 'First' };
const PRICE_RANGE = { minimum: 0, maximum: 100_000_000 };
const PRICE = { description: 'The price in cents.', example: 1250 };
const OPEN_FROM = { description: 'When it opens.', example: '2026-03-31T14:30:00.000Z', optional: true };

@ApiSchema({ name: 'NewSample', description: 'A sample to add. The service assigns its id.' })
export class NewSampleDto {
  @Text(NAME_LENGTH, NAME)
  readonly name!: string;

  @Int(PRICE_RANGE, PRICE)
  readonly priceCents!: number;

  @DateTime(OPEN_FROM)
  readonly openFrom?: Date;
}

@ApiSchema({ name: 'SampleChange', description: 'The fields of a sample to change.' })
export class SampleChangeDto {
  @Text(NAME_LENGTH, { ...NAME, optional: true })
  readonly name?: string;

  @Int(PRICE_RANGE, { ...PRICE, optional: true })
  readonly priceCents?: number;

  @DateTime({ ...OPEN_FROM, nullable: true })
  readonly openFrom?: Date | null;
}

@ApiSchema({ name: 'Sample', description: 'One of the samples.' })
export class SampleDto {
  @Int64({ description: 'Unique identifier assigned by the service on creation.', example: 1 })
  readonly id!: bigint;

  @Text(NAME_LENGTH, NAME)
  readonly name!: string;

  @Int(PRICE_RANGE, PRICE)
  readonly priceCents!: number;

  @DateTime(OPEN_FROM)
  readonly openFrom?: Date;

  static from({ id, name, priceCents, openFrom }: Sample): SampleDto {
    return { id, name, priceCents, ...(openFrom && { openFrom }) };
  }
}

export class SamplePath {
  @Int64({ description: 'Identifier of the sample.', example: 1, text: true })
  readonly sampleId!: bigint;
}

/** Add filters here. */
export class ListSamplesQuery extends PageQuery {}
