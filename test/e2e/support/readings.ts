import { Body, Controller, Get, Module, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiSchema } from '@nestjs/swagger';
import { InjectRepository } from '@nestjs/typeorm';
import { Column, Entity, type MigrationInterface, PrimaryGeneratedColumn, type QueryRunner } from 'typeorm';
import { Resource } from '../../../src/api/document/resource.decorator.js';
import type { Page } from '../../../src/api/paging/page.js';
import { LimitQuery } from '../../../src/api/paging/page-query.js';
import { Paged } from '../../../src/api/paging/paged.decorator.js';
import { type Position, position } from '../../../src/api/paging/position.js';
import { Created } from '../../../src/api/responses/created.decorator.js';
import { Field, QueryParameter } from '../../../src/api/validation/field.decorator.js';
import { boolean, dateTime, int64, listOf } from '../../../src/api/validation/rule.js';
import type { BatchedRepository } from '../../../src/database/batching/batched-repository.js';
import { DatabaseModule } from '../../../src/database/database.module.js';
import { Kept } from '../../../src/database/kept.js';

// A feature whose list begins with the latest.

@Kept('distributed')
@Entity('readings')
export class Reading {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  readonly id!: bigint;

  @Column('timestamp with time zone', { name: 'taken_at', precision: 3 })
  readonly takenAt!: Date;

  @Column('timestamp with time zone', { name: 'checked_at', precision: 3, nullable: true })
  readonly checkedAt!: Date | null;

  @Column('boolean')
  readonly urgent!: boolean;
}

class CreateReadings1000000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE readings (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT readings_pkey PRIMARY KEY,
        taken_at timestamptz(3) NOT NULL,
        checked_at timestamptz(3),
        urgent boolean NOT NULL
      )`);
  }

  async down(): Promise<void> {}
}

@ApiSchema({ name: 'NewReading' })
class NewReadingDto {
  @Field(dateTime(), { description: 'When it was taken.' })
  readonly takenAt!: Date;

  @Field(boolean(), { description: 'Whether it is urgent.' })
  readonly urgent!: boolean;
}

@ApiSchema({ name: 'Reading' })
class ReadingDto extends NewReadingDto {
  @Field(int64(), { description: 'Its id.' })
  readonly id!: bigint;

  static from({ id, takenAt, urgent }: Reading): ReadingDto {
    return { id, takenAt, urgent };
  }
}

class ListReadingsQuery extends LimitQuery {
  @QueryParameter(position(), { description: 'Return only readings whose takenAt is earlier.' })
  readonly after?: Position;

  @QueryParameter(boolean(), { description: 'Return only those that are urgent, or not.' })
  readonly urgent?: boolean;

  @QueryParameter(listOf(int64(), { minItems: 1, maxItems: 5 }), {
    description: 'Return only those with these ids.',
  })
  readonly ids?: bigint[];
}

@Resource('readings', 'Readings')
@Controller('readings')
class ReadingsController {
  constructor(@InjectRepository(Reading) private readonly readings: BatchedRepository<Reading>) {}

  @Get()
  @ApiOperation({ summary: 'List readings' })
  @Paged({ name: 'Readings', item: ReadingDto, description: 'A page of readings.', examples: {} })
  async listReadings(@Query() { after, limit, urgent, ids }: ListReadingsQuery): Promise<Page<ReadingDto>> {
    const filters = { urgent, id: ids };
    const page = await this.readings.readLatest({ by: 'takenAt', filters, after, limit });
    return page.map((reading) => ReadingDto.from(reading));
  }

  @Post()
  @ApiOperation({ summary: 'Add a reading' })
  @ApiBody({ type: NewReadingDto })
  @Created({ type: ReadingDto, description: 'The reading.', examples: {} })
  async createReading(@Body() newReading: NewReadingDto): Promise<ReadingDto> {
    return ReadingDto.from(await this.readings.add({ ...newReading, checkedAt: null }));
  }
}

@Module({
  imports: [DatabaseModule.forFeature([Reading], [CreateReadings1000000000000])],
  controllers: [ReadingsController],
})
export class ReadingsModule {}
