import { Body, Controller, Get, Module, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiSchema } from '@nestjs/swagger';
import { InjectRepository } from '@nestjs/typeorm';
import {
  Column,
  Entity,
  type MigrationInterface,
  PrimaryGeneratedColumn,
  type QueryRunner,
  Unique,
} from 'typeorm';
import { Resource } from '../../../src/api/document/resource.decorator.js';
import { declareError } from '../../../src/api/errors/declare-error.js';
import { Refuses } from '../../../src/api/errors/refuses.decorator.js';
import type { Page } from '../../../src/api/paging/page.js';
import { LimitQuery } from '../../../src/api/paging/page-query.js';
import { Paged } from '../../../src/api/paging/paged.decorator.js';
import { Created } from '../../../src/api/responses/created.decorator.js';
import { Field, OptionalField, QueryParameter } from '../../../src/api/validation/field.decorator.js';
import {
  dateTime,
  type Decimal,
  decimal,
  int64,
  listOf,
  nested,
  text,
} from '../../../src/api/validation/rule.js';
import type { BatchedRepository } from '../../../src/database/batching/batched-repository.js';
import { DatabaseModule } from '../../../src/database/database.module.js';
import { jsonOf } from '../../../src/database/json-of.js';
import { Kept } from '../../../src/database/kept.js';

// A feature whose list is in the order of a text, and that stores objects.

@ApiSchema({ name: 'ShelfLabel' })
class LabelDto {
  @Field(int64(), { description: 'Its number.' })
  readonly number!: bigint;
}

@ApiSchema({ name: 'ShelfContent' })
export class ContentDto {
  @Field(int64(), { description: 'Its number.' })
  readonly number!: bigint;

  @OptionalField(decimal({ minimum: 0, maximum: 9_999_999_999_999.99, scale: 2 }), {
    description: 'Its price.',
  })
  readonly price?: Decimal;

  @OptionalField(dateTime(), { description: 'When it came.' })
  readonly since?: Date;

  @OptionalField(listOf(dateTime(), { maxItems: 3 }), { description: 'When it moved.' })
  readonly moves?: Date[];

  @OptionalField(nested(LabelDto), { description: 'Its label.' })
  readonly label?: LabelDto;
}

@Kept('everywhere')
@Entity('shelves')
@Unique('shelves_name_unique', ['name'])
export class Shelf {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  readonly id!: bigint;

  @Column('text')
  readonly name!: string;

  @Column('jsonb', { nullable: true, transformer: jsonOf(ContentDto) })
  readonly content!: ContentDto | null;

  @Column('jsonb', { name: 'other_contents', default: [], transformer: jsonOf(ContentDto) })
  readonly others!: ContentDto[];
}

class CreateShelves1000000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE shelves (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT shelves_pkey PRIMARY KEY,
        name text NOT NULL CONSTRAINT shelves_name_unique UNIQUE,
        content jsonb,
        other_contents jsonb NOT NULL DEFAULT '[]'
      )`);
  }

  async down(): Promise<void> {}
}

const nameTaken = declareError('shelf_name_taken', {
  status: 409,
  when: 'Another shelf has this name.',
  advice: 'Choose another.',
  onConstraint: 'shelves_name_unique',
});

const name = text({ minLength: 1, maxLength: 20 });

@ApiSchema({ name: 'NewShelf' })
class NewShelfDto {
  @Field(name, { description: 'Its name.' })
  readonly name!: string;

  @OptionalField(nested(ContentDto), { description: 'What is on it.' })
  readonly content?: ContentDto;

  @OptionalField(listOf(nested(ContentDto), { maxItems: 3 }), {
    description: 'What else is on it.',
    default: [],
  })
  readonly others!: ContentDto[];
}

@ApiSchema({ name: 'Shelf' })
class ShelfDto {
  @Field(int64(), { description: 'Its id.' })
  readonly id!: bigint;

  @Field(name, { description: 'Its name.' })
  readonly name!: string;

  @OptionalField(nested(ContentDto), { description: 'What is on it.' })
  readonly content?: ContentDto;

  @Field(listOf(nested(ContentDto), { maxItems: 3 }), { description: 'What else is on it.' })
  readonly others!: ContentDto[];

  static from({ id, name, content, others }: Shelf): ShelfDto {
    return { id, name, others, ...(content && { content }) };
  }
}

class ListShelvesQuery extends LimitQuery {
  @QueryParameter(name, { description: 'Return only shelves whose name is greater.' })
  readonly after?: string;
}

@Resource('shelves', 'Shelves')
@Controller('shelves')
class ShelvesController {
  constructor(@InjectRepository(Shelf) private readonly shelves: BatchedRepository<Shelf>) {}

  @Get()
  @ApiOperation({ summary: 'List shelves' })
  @Paged({ name: 'Shelves', item: ShelfDto, description: 'A page of shelves.', examples: {} })
  async listShelves(@Query() { after, limit }: ListShelvesQuery): Promise<Page<ShelfDto>> {
    return (await this.shelves.readPage({ by: 'name', after, limit })).map((shelf) => ShelfDto.from(shelf));
  }

  @Post()
  @ApiOperation({ summary: 'Add a shelf' })
  @ApiBody({ type: NewShelfDto })
  @Created({ type: ShelfDto, description: 'The shelf.', examples: {} })
  @Refuses(nameTaken)
  async createShelf(@Body() newShelf: NewShelfDto): Promise<ShelfDto> {
    return ShelfDto.from(await this.shelves.add({ content: null, ...newShelf }));
  }
}

@Module({
  imports: [DatabaseModule.forFeature([Shelf], [CreateShelves1000000000000])],
  controllers: [ShelvesController],
})
export class ShelvesModule {}
