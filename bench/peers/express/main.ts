// By default: Nest on Express, passport, ValidationPipe, TypeORM's find() and save().
import 'reflect-metadata';
import {
  Body,
  Controller,
  Get,
  Injectable,
  Module,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Query,
  Res,
  UnauthorizedException,
  UseGuards,
  ValidationPipe,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AuthGuard, PassportModule, PassportStrategy } from '@nestjs/passport';
import { ExpressAdapter } from '@nestjs/platform-express';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import { Strategy } from 'passport-http-bearer';
import { Column, Entity, MoreThan, PrimaryColumn, PrimaryGeneratedColumn, Repository } from 'typeorm';
import { KnownKeys } from '../../known-keys.mjs';

interface Answer {
  setHeader(name: string, value: string): void;
}

const STATUSES = ['available', 'pending', 'sold'];
/** The driver returns int8 as a string; most applications convert it to a number. */
const toNumber = { from: Number, to: (value: unknown) => value };

@Entity('api_keys')
class ApiKey {
  @PrimaryColumn('bigint') id!: string;
  @Column('bytea') hash!: Buffer;
  @Column('timestamptz') expires_at!: Date;
  @Column('timestamptz', { nullable: true }) revoked_at!: Date | null;
}

@Entity('pets')
class Pet {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS', transformer: toNumber })
  id!: number;
  @Column('text') name!: string;
  @Column('bigint', { name: 'category_id', transformer: toNumber }) categoryId!: number;
  @Column('text', { nullable: true }) status!: string | null;
}

class ListPetsQuery {
  @IsOptional() @Type(() => Number) @IsInt() @Min(1) @Max(100) limit: number = 20;
  @IsOptional() @Type(() => Number) @IsInt() after?: number;
  @IsOptional() @IsIn(STATUSES) status?: string;
}

class NewPet {
  @IsString() @Length(1, 255) name!: string;
  @IsInt() categoryId!: number;
  @IsOptional() @IsIn(STATUSES) status?: string;
}

@Injectable()
class BearerStrategy extends PassportStrategy(Strategy) {
  private readonly known: KnownKeys;

  constructor(@InjectRepository(ApiKey) keys: Repository<ApiKey>) {
    super();
    this.known = new KnownKeys((hash: Buffer) => keys.findOneBy({ hash }));
  }

  async validate(token: string): Promise<ApiKey> {
    const key = await this.known.verify(token);
    if (!key) throw new UnauthorizedException();
    return key;
  }
}

@Controller('v1/pets')
@UseGuards(AuthGuard('bearer'))
class PetsController {
  constructor(@InjectRepository(Pet) private readonly pets: Repository<Pet>) {}

  @Get()
  async list(@Query() query: ListPetsQuery, @Res({ passthrough: true }) response: Answer) {
    const { limit, after, status } = query;
    const where = { ...(after !== undefined && { id: MoreThan(after) }), ...(status && { status }) };
    const rows = await this.pets.find({ where, order: { id: 'ASC' }, take: limit + 1 });
    const page = rows.slice(0, limit);
    const next = `/v1/pets?limit=${limit}${status ? `&status=${status}` : ''}&after=${page.at(-1)?.id}`;
    if (rows.length > page.length) response.setHeader('Link', `<${next}>; rel="next"`);
    return page.map(withoutNull);
  }

  @Post()
  async create(@Body() body: NewPet, @Res({ passthrough: true }) response: Answer) {
    const pet = await this.pets.save({ ...body, status: body.status ?? null } as Pet);
    response.setHeader('Location', `/v1/pets/${pet.id}`);
    return withoutNull(pet);
  }

  @Get(':petId')
  async get(@Param('petId', ParseIntPipe) id: number) {
    const pet = await this.pets.findOneBy({ id });
    if (!pet) throw new NotFoundException();
    return withoutNull(pet);
  }
}

function withoutNull({ status, ...pet }: Pet): object {
  return status === null ? pet : { ...pet, status };
}

const { DATABASE_URL, PORT } = process.env;

@Module({
  imports: [
    PassportModule,
    TypeOrmModule.forRoot({ type: 'postgres', url: DATABASE_URL, entities: [Pet, ApiKey] }),
    TypeOrmModule.forFeature([Pet, ApiKey]),
  ],
  controllers: [PetsController],
  providers: [BearerStrategy],
})
class AppModule {}

const app = await NestFactory.create(AppModule, new ExpressAdapter());
app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true }));
await app.listen(Number(PORT), '127.0.0.1');
