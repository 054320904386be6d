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
import { Field, QueryParameter } from '../../../src/api/validation/field.decorator.js';
import { int64, text } from '../../../src/api/validation/rule.js';
import type { BatchedRepository } from '../../../src/database/batching/batched-repository.js';
import { DatabaseModule } from '../../../src/database/database.module.js';

// A feature whose list is in the order of a text.

@Entity('shelves')
@Unique('shelves_name_unique', ['name'])
class Shelf {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  readonly id!: bigint;

  @Column('text')
  readonly name!: string;
}

class CreateShelves1000000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE shelves (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT shelves_pkey PRIMARY KEY,
        name text NOT NULL CONSTRAINT shelves_name_unique UNIQUE
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
}

@ApiSchema({ name: 'Shelf' })
class ShelfDto {
  @Field(int64(), { description: 'Its id.' })
  readonly id!: bigint;

  @Field(name, { description: 'Its name.' })
  readonly name!: string;
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
    return this.shelves.readPage({ by: 'name', after, limit });
  }

  @Post()
  @ApiOperation({ summary: 'Add a shelf' })
  @ApiBody({ type: NewShelfDto })
  @Created({ type: ShelfDto, description: 'The shelf.', examples: {} })
  @Refuses(nameTaken)
  async createShelf(@Body() newShelf: NewShelfDto): Promise<ShelfDto> {
    return this.shelves.add({ ...newShelf });
  }
}

@Module({
  imports: [DatabaseModule.forFeature([Shelf], [CreateShelves1000000000000])],
  controllers: [ShelvesController],
})
export class ShelvesModule {}
