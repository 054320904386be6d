import { Body, Controller, Delete, Get, Injectable, Module, Param, Post } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiSchema } from '@nestjs/swagger';
import {
  Column,
  DataSource,
  Entity,
  type MigrationInterface,
  PrimaryGeneratedColumn,
  type QueryRunner,
} from 'typeorm';
import { Resource } from '../../../src/api/document/resource.decorator.js';
import { declareError } from '../../../src/api/errors/declare-error.js';
import { Deleted } from '../../../src/api/responses/deleted.decorator.js';
import { Repeatable } from '../../../src/api/responses/repeatable.decorator.js';
import { Refuses } from '../../../src/api/errors/refuses.decorator.js';
import { Field, OptionalField, PathParameter } from '../../../src/api/validation/field.decorator.js';
import { int64, text } from '../../../src/api/validation/rule.js';
import { InjectRepository } from '@nestjs/typeorm';
import type { BatchedRepository } from '../../../src/database/batching/batched-repository.js';
import { DatabaseModule } from '../../../src/database/database.module.js';
import { Kept } from '../../../src/database/kept.js';

// A sample feature with a constraint of every kind, for tests of errors.

const terms = { status: 409, advice: 'Choose another.' } as const;
export const nameTaken = declareError('club_name_taken', {
  ...terms,
  when: 'Another club has this name.',
  onConstraint: 'clubs_name_once',
});
export const nameForbidden = declareError('club_name_forbidden', {
  ...terms,
  when: 'A club must not have this name.',
  onConstraint: 'clubs_name_allowed',
});
export const colourTaken = declareError('club_colour_taken', {
  ...terms,
  when: 'Another club has this colour.',
  onConstraint: 'clubs_colour_once',
});
export const mottoTaken = declareError('club_motto_taken', {
  ...terms,
  when: 'Another club has this motto.',
  onConstraint: 'clubs_motto_once',
});
export const noSuchParent = declareError('invalid_field', {
  message: 'The field "parentId" must be the id of a club.',
  onConstraint: 'clubs_parent_id_fkey',
});
const closed = declareError('club_closed', { ...terms, when: 'The club is closed.' });

@Kept('everywhere')
@Entity('clubs')
class Club {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  readonly id!: bigint;

  @Column('text')
  readonly name!: string;

  @Column('text', { nullable: true })
  readonly colour!: string | null;

  @Column('text', { nullable: true })
  readonly motto!: string | null;

  @Column('text', { nullable: true })
  readonly town!: string | null;

  @Column('bigint', { nullable: true, name: 'parent_id' })
  readonly parentId!: bigint | null;
}

class CreateClubs1000000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE clubs (
        id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT clubs_pkey PRIMARY KEY,
        name text NOT NULL CONSTRAINT clubs_name_allowed CHECK (name <> 'Forbidden'),
        colour text,
        motto text CONSTRAINT clubs_motto_once UNIQUE DEFERRABLE INITIALLY DEFERRED,
        town text,
        parent_id bigint CONSTRAINT clubs_parent_id_fkey REFERENCES clubs,
        CONSTRAINT clubs_colour_once EXCLUDE USING btree (colour WITH =)
      )`);
    await runner.query('CREATE UNIQUE INDEX clubs_name_once ON clubs (name)');
    await runner.query('CREATE UNIQUE INDEX clubs_town_once ON clubs (town)'); // of no error
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE clubs');
  }
}

const line = () => text({ minLength: 1, maxLength: 255 });
const ABOUT = { description: 'Sample.' };

@ApiSchema({ name: 'NewClub', description: 'A club to add.' })
export class NewClubDto {
  @Field(line(), { ...ABOUT, example: 'Sample' })
  readonly name!: string;

  @OptionalField(line(), { ...ABOUT, example: 'Sample' })
  readonly colour?: string;

  @OptionalField(line(), { ...ABOUT, example: 'Sample' })
  readonly motto?: string;

  @OptionalField(line(), { ...ABOUT, example: 'Sample' })
  readonly town?: string;

  @OptionalField(int64(), { ...ABOUT, example: 1 })
  readonly parentId?: bigint;
}

@ApiSchema({ name: 'Club', description: 'A club.' })
class ClubDto {
  @Field(int64(), { ...ABOUT, example: 1 })
  readonly id!: bigint;
}

class ClubPath {
  @PathParameter(int64(), ABOUT)
  readonly clubId!: bigint;
}

@Injectable()
class ClubsService {
  constructor(
    @InjectRepository(Club) private readonly clubs: BatchedRepository<Club>,
    private readonly dataSource: DataSource,
  ) {}

  addInBatch({ name, colour, motto, town, parentId }: NewClubDto): Promise<Club> {
    const optional = { colour: colour ?? null, motto: motto ?? null, town: town ?? null };
    return this.clubs.add({ name, ...optional, parentId: parentId ?? null });
  }

  addInTransaction(newClub: NewClubDto): Promise<ClubDto> {
    return this.dataSource.transaction(async (manager) => {
      const { identifiers } = await manager.insert(Club, newClub);
      return { id: identifiers[0]!['id'] as bigint };
    });
  }

  async delete(id: bigint): Promise<void> {
    await this.clubs.discard({ id });
  }

  enter(): never {
    throw closed();
  }
}

/** Adds a club in a batch and in a transaction. */
@Resource('clubs', 'Samples')
@Controller('clubs')
class ClubsController {
  constructor(private readonly clubs: ClubsService) {}

  @Post()
  @Repeatable()
  @ApiOperation({ summary: 'Add a club' })
  @ApiBody({ type: NewClubDto })
  @ApiCreatedResponse({ type: ClubDto, description: 'The club.' })
  @Refuses(nameTaken, nameForbidden, colourTaken)
  @Refuses(mottoTaken, noSuchParent)
  async createClub(@Body() newClub: NewClubDto): Promise<ClubDto> {
    return this.clubs.addInBatch(newClub);
  }

  @Post('transaction')
  @Repeatable()
  @ApiOperation({ summary: 'Add a club' })
  @ApiBody({ type: NewClubDto })
  @ApiCreatedResponse({ type: ClubDto, description: 'The club.' })
  @Refuses(nameTaken, nameForbidden, colourTaken, mottoTaken, noSuchParent, 'not_found')
  async createClubInTransaction(@Body() newClub: NewClubDto): Promise<ClubDto> {
    return this.clubs.addInTransaction(newClub);
  }

  /** Lacks `@Refuses(closed)`. */
  @Get(':clubId')
  @ApiOperation({ summary: 'Enter a club' })
  @ApiOkResponse({ type: ClubDto, description: 'The club.' })
  enterClub(@Param() _path: ClubPath): ClubDto {
    return this.clubs.enter();
  }

  @Delete(':clubId')
  @ApiOperation({ summary: 'Delete a club' })
  @Deleted({ description: 'The club was deleted.' })
  async deleteClub(@Param() { clubId }: ClubPath): Promise<void> {
    await this.clubs.delete(clubId);
  }
}

@Module({
  imports: [DatabaseModule.forFeature([Club], [CreateClubs1000000000000])],
  controllers: [ClubsController],
  providers: [ClubsService],
})
export class ClubsModule {}
