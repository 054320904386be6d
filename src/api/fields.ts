import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ValidateBy, ValidateIf } from 'class-validator';
import { isDay } from '../common/clock.js';
import { INT64_MAX, INT64_MIN, int64FromText, isInt64 } from '../common/int64.js';

// Decorators of input and output fields: the document, the conversion and the check in one. They are class-transformer's and
// class-validator's own, so that `@Transform()` or `@IsEmail()` works beside them.

interface FieldOptions {
  readonly description: string;
  readonly example?: unknown;
  /** It may be left out. */
  readonly optional?: boolean;
  /** Null is a value too: in a PATCH, it clears the field. */
  readonly nullable?: boolean;
  /** The value of a field that is left out. */
  readonly default?: unknown;
}

interface Rule {
  readonly schema: object;
  /** Completes the sentence "must be …". */
  readonly expected: string;
  readonly check: (value: unknown) => boolean;
  /** What conversions do not understand, they return as it is, for `check` to refuse. */
  readonly fromJson?: (value: unknown) => unknown;
  /** Of a path or a query. */
  readonly fromText?: (text: string) => unknown;
  /** Of a query parameter that may be repeated. Of any other, `check` refuses a repetition. */
  readonly fromTexts?: (texts: string | string[]) => unknown;
}

export type Field = Rule & FieldOptions;

/** The name under which class-validator knows the checks that are made here. */
export const FIELD = 'field';
const FIELDS = 'fields';

/** The fields of a class and its base classes, by name. */
export function fieldsOf(type: Type): ReadonlyMap<string, Field> {
  return (Reflect.getMetadata(FIELDS, type.prototype as object) ?? new Map()) as Map<string, Field>;
}

const ONLY_FIELDS = 'only-fields';

/**
 * Says that a class has no decorators of class-transformer beside its fields, so that reading it can do without that package.
 * It is for frequent requests: class-transformer cannot be asked, and what stands there all the same would be ignored.
 */
export function OnlyFields(): ClassDecorator {
  return (type) => Reflect.defineMetadata(ONLY_FIELDS, true, type);
}

export function hasOnlyFields(type: Type): boolean {
  return Reflect.hasOwnMetadata(ONLY_FIELDS, type);
}

function field(options: FieldOptions, rule: Rule): PropertyDecorator {
  const { optional, ...documented } = options;
  const { nullable, default: otherwise } = options;
  const declared: Field = {
    ...rule,
    ...options,
    expected: nullable ? `${rule.expected}, or null` : rule.expected,
    check: nullable ? (value) => value === null || rule.check(value) : rule.check,
  };
  return applyDecorators(
    (prototype: object, name: string | symbol) => {
      const others = fieldsOf(prototype.constructor as Type);
      Reflect.defineMetadata(FIELDS, new Map([...others, [name as string, declared]]), prototype);
    },
    ApiProperty({ ...rule.schema, ...documented, required: !optional && otherwise === undefined }),
    Transform(({ value }: { value: unknown }) => rule.fromJson?.(value) ?? value, { toClassOnly: true }),
    ValidateIf((_, value) => !(optional && value === undefined)),
    ValidateBy({ name: FIELD, validator: { validate: declared.check } }),
  );
}

const INT64: Rule = {
  // The document keeps the bounds as bigints: as numbers they would be rounded.
  schema: { type: 'integer', format: 'int64', minimum: INT64_MIN, maximum: INT64_MAX },
  expected: `an integer from ${INT64_MIN} to ${INT64_MAX}`,
  check: isInt64,
  fromText: (text) => int64FromText(text) ?? text,
};

/** A 64-bit integer, held as a `bigint`. */
export const Int64 = (options: FieldOptions) => field(options, INT64);

/** A small integer, held as a `number`. The JSON parser reads every integer as a `bigint`. */
export function Int({ minimum, maximum }: { minimum: number; maximum: number }, options: FieldOptions) {
  const small = (value: unknown) => (isInt64(value) ? Number(value) : value);
  return field(options, {
    schema: { type: 'integer', format: 'int32', minimum, maximum },
    expected: `an integer from ${minimum} to ${maximum}`,
    check: (value) => typeof value === 'number' && value >= minimum && value <= maximum,
    fromJson: small,
    fromText: (text) => small(int64FromText(text) ?? text),
  });
}

/** Different 64-bit integers: an array in JSON. In a query, commas separate them, or the parameter is repeated, or both. */
export function Int64List({ maxItems }: { maxItems: number }, options: FieldOptions) {
  return field(options, {
    schema: { type: 'array', items: INT64.schema, minItems: 1, maxItems, uniqueItems: true },
    expected: `a list of 1 to ${maxItems} items separated by commas, none twice, each ${INT64.expected}`,
    check: (value) =>
      Array.isArray(value) &&
      value.length >= 1 &&
      value.length <= maxItems &&
      value.every(isInt64) &&
      new Set(value).size === value.length,
    fromTexts: (texts) =>
      String(texts)
        .split(',', maxItems + 1)
        .map(INT64.fromText!),
  });
}

const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f';
const WHITE_SPACE = ' \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
/**
 * Printable, and not only white space. Regex engines differ in their classes, so the characters are listed. The first two
 * classes are disjoint: otherwise an engine backtracks, in time quadratic in the length.
 */
const PRINTABLE = `^[${WHITE_SPACE}]*[^${CONTROL}${WHITE_SPACE}][^${CONTROL}]*$`;

/** A single line of text. The length counts Unicode code points. */
export function Text({ minLength, maxLength }: { minLength: number; maxLength: number }, options: FieldOptions) {
  const length = new RegExp(`^.{${minLength},${maxLength}}$`, 'su');
  const pattern = new RegExp(PRINTABLE, 'u');
  return field(options, {
    schema: { type: 'string', minLength, maxLength, pattern: PRINTABLE },
    expected: `a string of ${minLength} to ${maxLength} characters, without control characters and not only white space`,
    check: (value) => typeof value === 'string' && length.test(value) && value.isWellFormed() && pattern.test(value),
  });
}

/** A named enumeration of strings. */
export function OneOf(enumName: string, values: readonly string[], options: FieldOptions) {
  return field(options, {
    schema: { type: 'string', enum: [...values], enumName },
    expected: `one of ${values.join(', ')}`,
    check: (value) => values.includes(value as string),
  });
}

export function Bool(options: FieldOptions) {
  return field(options, {
    schema: { type: 'boolean' },
    expected: 'true or false',
    check: (value) => typeof value === 'boolean',
    fromText: (text) => [true, false].find((each) => String(each) === text) ?? text,
  });
}

const HOUR_MINUTE = '(?:[01][0-9]|2[0-3]):[0-5][0-9]';
const DATE_TIME = `^[0-9]{4}-[0-9]{2}-[0-9]{2}T${HOUR_MINUTE}:[0-5][0-9](?:\\.[0-9]{1,9})?(?:Z|[+-]${HOUR_MINUTE})$`;
const EARLIEST = Date.parse('0001-01-01T00:00:00Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * A moment of RFC 3339, held as a `Date`, and answered in UTC with milliseconds. The current time of Go, Java and Python has
 * six or nine fraction digits. `Date` cuts off those after the third.
 */
export function DateTime(options: FieldOptions) {
  const pattern = new RegExp(DATE_TIME);
  const read = (value: unknown) =>
    typeof value === 'string' && pattern.test(value) && isDay(value.slice(0, 10)) ? new Date(value) : value;
  const taken =
    'Taken with an offset, capital T and Z, and up to nine fraction digits: what is finer than a millisecond ' +
    'is cut off. In the years 0001 to 9999 of UTC.';
  const described = { ...options, description: `${options.description} ${taken}` };
  return field(described, {
    schema: { type: 'string', format: 'date-time', pattern: DATE_TIME },
    expected:
      'a date-time of RFC 3339 with an offset and at most nine fraction digits, such as 2026-03-31T14:30:00Z or ' +
      '2026-03-31T16:30:00.250+02:00, in the years 0001 to 9999 of UTC',
    check: (value) => value instanceof Date && value.getTime() >= EARLIEST && value.getTime() <= LATEST,
    fromJson: read,
    fromText: read,
  });
}
