import { Body, Controller, Get, HttpCode, Module, Patch, Post, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiSchema } from '@nestjs/swagger';
import { ArrayMaxSize, IsEmail, IsIn, IsUrl, IsUUID, Length, Matches, Max } from 'class-validator';
import { Resource } from '../../../src/api/document/resource.decorator.js';
import { Repeatable } from '../../../src/api/responses/repeatable.decorator.js';
import { Field, OptionalField, QueryParameter } from '../../../src/api/validation/field.decorator.js';
import {
  boolean,
  dateTime,
  type Decimal,
  decimal,
  email,
  int64,
  integer,
  listOf,
  nested,
  nullable,
  oneOf,
  text,
} from '../../../src/api/validation/rule.js';
import { AppModule } from '../../../src/app.module.js';

// A feature that uses every rule, and stores nothing.

const line = text({ minLength: 1, maxLength: 30 });
const size = oneOf('CrateSize', ['small', 'large']);
const price = decimal({ minimum: 0, maximum: 9_999_999_999_999.99, scale: 2 });
const quantity = integer({ minimum: 1, maximum: 1_000_000 });

@ApiSchema({ name: 'CrateAddress' })
export class AddressDto {
  @Field(line, {})
  readonly city!: string;

  @IsEmail()
  @OptionalField(line, {})
  readonly contact?: string;
}

@ApiSchema({ name: 'CrateItem' })
export class ItemDto {
  @Field(int64(), {})
  readonly petId!: bigint;

  @OptionalField(price, {})
  readonly price?: Decimal;
}

@ApiSchema({ name: 'NewCrate' })
export class NewCrateDto {
  @Field(nested(AddressDto), { description: 'Where it goes.' })
  readonly address!: AddressDto;

  @OptionalField(listOf(nested(ItemDto), { maxItems: 3 }), { description: 'What is in it.' })
  readonly items?: ItemDto[];

  @OptionalField(listOf(size, { maxItems: 2, unique: true }), { description: 'Its sizes.' })
  readonly sizes?: ('small' | 'large')[];

  @OptionalField(dateTime(), { description: 'When it goes.' })
  readonly shipDate?: Date;

  @OptionalField(price, { description: 'What it costs.' })
  readonly price?: Decimal;

  @OptionalField(quantity, { description: 'How many.', default: 1 })
  readonly quantity!: number;

  @OptionalField(boolean(), { description: 'Whether it is closed.', default: false })
  readonly closed!: boolean;

  @IsEmail()
  @OptionalField(line, { description: 'Who packs it.' })
  readonly packer?: string;

  @ArrayMaxSize(2)
  @IsEmail({}, { each: true })
  @OptionalField(listOf(line, { maxItems: 3 }), { description: 'Who else may open it.' })
  readonly others?: string[];

  @IsUrl({ require_protocol: true })
  @OptionalField(text({ minLength: 1, maxLength: 500 }), { description: 'Where it is.' })
  readonly position?: string;

  @IsUUID()
  @OptionalField(text({ minLength: 1, maxLength: 500 }), { description: 'Its seal.' })
  readonly seal?: string;

  @IsUUID('4')
  @OptionalField(text({ minLength: 1, maxLength: 500 }), { description: 'Its older seal.' })
  readonly oldSeal?: string;

  @Matches(/^[A-Z]{2}-[0-9]{1,9}$/u)
  @OptionalField(line, { description: 'Its code.' })
  readonly code?: string;

  @IsIn(['wood', 'steel'])
  @OptionalField(line, { description: 'What it is made of.' })
  readonly material?: string;

  @OptionalField(email(), { description: 'Who gets it.' })
  readonly receiver?: string;

  @Length(3, 5)
  @OptionalField(line, { description: 'What is written on it.' })
  readonly label?: string;

  @Max(30)
  @OptionalField(quantity, { description: 'How high it may be piled.' })
  readonly height?: number;
}

@ApiSchema({ name: 'CrateChange' })
export class CrateChangeDto {
  @OptionalField(nullable(dateTime()), { description: 'When it goes.' })
  readonly shipDate?: Date | null;

  @IsEmail()
  @OptionalField(nullable(line), { description: 'Who packs it.' })
  readonly packer?: string | null;

  @IsIn(['wood', 'steel'])
  @OptionalField(nullable(line), { description: 'What it is made of.' })
  readonly material?: string | null;

  @OptionalField(nullable(size), { description: 'Its size.' })
  readonly size?: 'small' | 'large' | null;

  @OptionalField(nullable(nested(AddressDto)), { description: 'Where it goes.' })
  readonly address?: AddressDto | null;

  @OptionalField(boolean({ only: true }), { description: 'Closes it.' })
  readonly closed?: true;
}

@ApiSchema({ name: 'Crate' })
export class CrateDto {
  @Field(nested(AddressDto), { description: 'Where it goes.' })
  readonly address!: AddressDto;

  @OptionalField(listOf(nested(ItemDto), { maxItems: 3 }), { description: 'What is in it.' })
  readonly items?: ItemDto[];

  @OptionalField(listOf(size, { maxItems: 2, unique: true }), { description: 'Its sizes.' })
  readonly sizes?: ('small' | 'large')[];

  @OptionalField(dateTime(), { description: 'When it goes.' })
  readonly shipDate?: Date;

  @OptionalField(price, { description: 'What it costs.' })
  readonly price?: Decimal;

  @Field(quantity, { description: 'How many.' })
  readonly quantity!: number;

  @Field(boolean(), { description: 'Whether it is closed.' })
  readonly closed!: boolean;

  @IsEmail()
  @OptionalField(line, { description: 'Who packs it.' })
  readonly packer?: string;

  @ArrayMaxSize(2)
  @IsEmail({}, { each: true })
  @OptionalField(listOf(line, { maxItems: 3 }), { description: 'Who else may open it.' })
  readonly others?: string[];

  @IsUrl({ require_protocol: true })
  @OptionalField(text({ minLength: 1, maxLength: 500 }), { description: 'Where it is.' })
  readonly position?: string;

  @IsUUID()
  @OptionalField(text({ minLength: 1, maxLength: 500 }), { description: 'Its seal.' })
  readonly seal?: string;

  @IsUUID('4')
  @OptionalField(text({ minLength: 1, maxLength: 500 }), { description: 'Its older seal.' })
  readonly oldSeal?: string;

  @Matches(/^[A-Z]{2}-[0-9]{1,9}$/u)
  @OptionalField(line, { description: 'Its code.' })
  readonly code?: string;

  @IsIn(['wood', 'steel'])
  @OptionalField(line, { description: 'What it is made of.' })
  readonly material?: string;

  @OptionalField(email(), { description: 'Who gets it.' })
  readonly receiver?: string;

  @Length(3, 5)
  @OptionalField(line, { description: 'What is written on it.' })
  readonly label?: string;

  @Max(30)
  @OptionalField(quantity, { description: 'How high it may be piled.' })
  readonly height?: number;
}

@ApiSchema({ name: 'CrateChoice' })
export class ChoiceDto {
  @Field(text({ minLength: 1, maxLength: 500 }), { description: 'What the handler got, with the types.' })
  readonly got!: string;
}

export class CratesQuery {
  @QueryParameter(listOf(int64(), { minItems: 1, maxItems: 3, unique: true }), { description: 'Only these.' })
  readonly ids?: bigint[];

  @QueryParameter(listOf(size, { minItems: 1, maxItems: 2 }), { description: 'Only these sizes.' })
  readonly sizes?: ('small' | 'large')[];

  @QueryParameter(boolean(), { description: 'Only closed ones, or open ones.' })
  readonly closed?: boolean;

  @QueryParameter(dateTime(), { description: 'Only later ones.' })
  readonly since?: Date;

  @IsEmail()
  @QueryParameter(line, { description: 'Only those that are packed by this one.' })
  readonly packer?: string;

  @Matches(/^[A-Z]{2}-[0-9]{1,9}$/u)
  @QueryParameter(line, { description: 'Only this code.' })
  readonly code?: string;

  @QueryParameter(price, { description: 'Only cheaper ones.' })
  readonly below?: Decimal;

  @QueryParameter(quantity, { description: 'How many.', default: 20 })
  readonly limit!: number;
}

@Resource('crates', 'Crates, which show every rule')
@Controller('crates')
export class CratesController {
  @Get()
  @ApiOperation({ summary: 'Choose crates' })
  @ApiOkResponse({ type: ChoiceDto })
  chooseCrates(@Query() query: CratesQuery): ChoiceDto {
    return { got: shown(query) };
  }

  @Post()
  @HttpCode(200)
  @Repeatable()
  @ApiOperation({ summary: 'Pack a crate' })
  @ApiBody({ type: NewCrateDto })
  @ApiOkResponse({ type: CrateDto })
  packCrate(@Body() crate: NewCrateDto): CrateDto {
    return crate;
  }

  @Patch()
  @Repeatable()
  @ApiOperation({ summary: 'Change a crate' })
  @ApiBody({ type: CrateChangeDto })
  @ApiOkResponse({ type: ChoiceDto })
  changeCrate(@Body() change: CrateChangeDto): ChoiceDto {
    return { got: shown(change) };
  }
}

/** The members that are there, in one line. */
function shown(input: object): string {
  const seen = (value: unknown): string => {
    if (typeof value === 'bigint') return `${value}n`;
    if (value instanceof Date) return `Date ${value.toISOString()}`;
    if (Array.isArray(value)) return `[${value.map(seen).join(', ')}]`;
    return JSON.stringify(value);
  };
  const members = Object.entries(input).filter(([, value]) => value !== undefined);
  return members.map(([name, value]) => `${name}: ${seen(value)}`).join(', ') || 'nothing';
}

@Module({ controllers: [CratesController] })
export class CratesModule {}

/** Adds a module to the application of this test file. */
export function addToApp(module: object): void {
  const imports = Reflect.getMetadata('imports', AppModule) as object[];
  Reflect.defineMetadata('imports', [...imports, module], AppModule);
}
