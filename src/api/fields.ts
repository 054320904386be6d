import { isDay } from '../common/clock.js';
import { INT64_MAX, INT64_MIN, int64FromText, isInt64 } from '../common/int64.js';
import { field, type FieldOptions } from './field.js';

// Decorators of input and output fields. Each documents, converts and checks a field, and registers with class-transformer
// and class-validator, so that `@Transform()` or `@IsEmail()` works beside it.

interface Bounds<T> {
  readonly minimum?: T;
  readonly maximum?: T;
}

/** Bounds of 64 bits are bigints in the schema, too, because numbers would be rounded. */
function integers<T extends bigint | number>(minimum: T, maximum: T) {
  const format = minimum >= -(2 ** 31) && maximum < 2 ** 31 ? 'int32' : 'int64';
  return {
    schema: { type: 'integer', format, minimum, maximum },
    expected: `an integer from ${minimum} to ${maximum}`,
    check: (value: unknown) => typeof value === typeof minimum && (value as T) >= minimum && (value as T) <= maximum,
  };
}

/** A 64-bit integer, held as a `bigint`. */
export function Int64({ minimum = INT64_MIN, maximum = INT64_MAX, ...options }: FieldOptions & Bounds<bigint>) {
  const fromText = (text: string) => int64FromText(text) ?? text;
  return field(options, { ...integers(minimum, maximum), column: 'bigint', fromText });
}

/** A small integer, held as a `number`. The JSON parser reads every integer as a `bigint`. */
export function Int({ minimum, maximum }: Required<Bounds<number>>, options: FieldOptions) {
  const fromJson = (value: unknown) => (isInt64(value) ? Number(value) : value);
  const fromText = (text: string) => fromJson(int64FromText(text) ?? text);
  return field(options, { ...integers(minimum, maximum), column: 'integer', fromJson, fromText });
}

/**
 * A decimal number, such as an amount of money. It has at most `precision` digits, `scale` of them after the point, and is
 * not negative unless `signed`. Nothing rounds it, because it is a string in JSON and in code, and `numeric` in PostgreSQL,
 * which returns it with all `scale` fraction digits. Input is completed likewise, from 5 to 5.00, to equal what was stored.
 */
export function Decimal(
  { precision, scale, signed = false }: { precision: number; scale: number; signed?: boolean },
  options: FieldOptions,
) {
  const whole = precision - scale;
  if (scale < 1 || whole < 1)
    throw new Error('A Decimal has digits on both sides of the point: for whole numbers, take Int64.');
  const pattern = `^${signed ? '-?' : ''}(?:0|[1-9][0-9]{0,${whole - 1}})(?:\\.[0-9]{1,${scale}})?$`;
  const complete = (text: unknown) => {
    if (typeof text !== 'string' || !new RegExp(pattern).test(text)) return text;
    const [before = '', after = ''] = text.split('.');
    const completed = `${before}.${after.padEnd(scale, '0')}`;
    return /[1-9]/.test(completed) ? completed : completed.replace('-', ''); // -0
  };
  return field(options, {
    schema: { type: 'string', pattern },
    expected: `a decimal number in quotes, with at most ${whole} digits before the point and ${scale} after it${signed ? '' : ', not negative'}`,
    column: `numeric(${precision},${scale})`,
    check: (value) => typeof value === 'string' && new RegExp(pattern).test(value),
    fromJson: complete,
    fromText: complete,
  });
}

// Regex engines disagree on classes such as `\s`, so characters are listed. U+2028 and U+2029 must not be named, because
// generators print them into string literals, where they would end the line: so a range from U+2027 to U+202A covers them.
const WHITE_SPACE = ' \\xa0\\u1680\\u2000-\\u200a\\u2027-\\u202a\\u202f\\u205f\\u3000';
/** The printable characters below U+3000 that are not white space. */
const OTHERS = '!-~\\xa1-\\u167f\\u1681-\\u1fff\\u200b-\\u2027\\u202a-\\u202e\\u2030-\\u205e\\u2060-\\u2fff';
const CONTROL = { line: '\\x00-\\x1f', lines: '\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f' };

/**
 * The pattern of printable text that is not only white space. Its first two classes share only U+2027 and U+202A: with more
 * in common, an engine would backtrack, in time quadratic in the length.
 */
function printable(severalLines: boolean): string {
  const space = severalLines ? `${WHITE_SPACE}\\t\\n\\r` : WHITE_SPACE;
  const control = `${severalLines ? CONTROL.lines : CONTROL.line}\\x7f-\\x9f`;
  return `^[${space}]*(?:[${OTHERS}]|[^\\x00-\\u3000])[^${control}]*$`;
}

interface TextRule {
  readonly minLength: number;
  readonly maxLength: number;
  /** A pattern that the text must match, too, and the words for it that complete the sentence "must be …". */
  readonly pattern?: string;
  readonly expected?: string;
  /** Whether the text may have line breaks and tabs. */
  readonly severalLines?: boolean;
}

/** A text, by default of one line. The length counts Unicode code points. */
export function Text({ minLength, maxLength, severalLines = false, ...own }: TextRule, options: FieldOptions) {
  const length = new RegExp(`^.{${minLength},${maxLength}}$`, 'su');
  const usual = printable(severalLines);
  const { pattern = usual } = own;
  const patterns = [usual, pattern].map((each) => new RegExp(each, 'u'));
  const except = severalLines ? ' except line breaks and tabs' : '';
  const expected = `a string of ${minLength} to ${maxLength} characters, without control characters${except} and not only white space`;
  return field(options, {
    schema: { type: 'string', minLength, maxLength, pattern },
    expected: own.expected ?? expected,
    column: 'text',
    check: (value) =>
      typeof value === 'string' &&
      length.test(value) &&
      value.isWellFormed() &&
      patterns.every((each) => each.test(value)),
  });
}

/** A named enumeration of strings. */
export function OneOf(enumName: string, values: readonly string[], options: FieldOptions) {
  return field(options, {
    schema: { type: 'string', enum: [...values], enumName },
    expected: `one of ${values.join(', ')}`,
    column: 'text',
    check: (value) => values.includes(value as string),
  });
}

export function Bool(options: FieldOptions) {
  return field(options, {
    schema: { type: 'boolean' },
    expected: 'true or false',
    column: 'boolean',
    check: (value) => typeof value === 'boolean',
    fromText: (text) => [true, false].find((each) => String(each) === text) ?? text,
  });
}

/** A day of the calendar, held as a string. */
export function Day(options: FieldOptions) {
  return field(options, {
    schema: { type: 'string', format: 'date' },
    expected: 'a day from 0001-01-01 to 9999-12-31',
    column: 'date',
    check: (value) => typeof value === 'string' && isDay(value) && value >= '0001',
  });
}

const HOUR_MINUTE = '(?:[01][0-9]|2[0-3]):[0-5][0-9]';
const DATE_TIME = `^[0-9]{4}-[0-9]{2}-[0-9]{2}T${HOUR_MINUTE}:[0-5][0-9](?:\\.[0-9]{1,9})?(?:Z|[+-]${HOUR_MINUTE})$`;
const EARLIEST = Date.parse('0001-01-01T00:00:00Z');
const LATEST = Date.parse('9999-12-31T23:59:59.999Z');
/** Nine fraction digits are taken, because Go, Java and Python give the current time with six or nine. */
const TAKEN =
  'a date-time of RFC 3339 with an offset and one to nine fraction digits or none, of which three count, such as ' +
  '2026-03-31T14:30:00Z or 2026-03-31T16:30:00.250+02:00, in the years 0001 to 9999 of UTC';

/** A moment of RFC 3339. It is held as a `Date`, which cuts off digits beyond milliseconds, and answered in UTC. */
export function DateTime(options: FieldOptions) {
  const pattern = new RegExp(DATE_TIME);
  const read = (value: unknown) =>
    typeof value === 'string' && pattern.test(value) && isDay(value.slice(0, 10)) ? new Date(value) : value;
  const documented = { ...options, description: `${options.description} Taken is ${TAKEN}.` };
  return field(documented, {
    schema: { type: 'string', format: 'date-time' },
    expected: TAKEN,
    column: 'timestamp(3) with time zone',
    check: (value) => value instanceof Date && value.getTime() >= EARLIEST && value.getTime() <= LATEST,
    fromJson: read,
    fromText: read,
  });
}
