import type { ApiPropertyOptions } from '@nestjs/swagger';
import { INT64_MAX, INT64_MIN, int64FromText, isInt64 } from '../../common/int64/int64.js';

/** Describes valid values once, for the document, the validation and the error message. */
export interface Rule {
  readonly schema: ApiPropertyOptions;
  /** Completes the sentence "must be …". */
  readonly expected: string;
  accepts(value: unknown): boolean;
  /** Converts the text of a path or query parameter. Returns text that it cannot convert, for `accepts` to refuse. */
  fromText(text: string): unknown;
  /** Converts a value of the JSON parser, where the code uses another type. Returns other values unchanged. */
  readonly fromJson?: (value: unknown) => unknown;
}

const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f';
const WHITE_SPACE = ' \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
/**
 * Printable text, not only white space. Regex engines differ in their classes, so the characters are listed. The first
 * two classes are disjoint; otherwise an engine backtracks, in time quadratic in the length.
 */
const PRINTABLE = `^[${WHITE_SPACE}]*[^${CONTROL}${WHITE_SPACE}][^${CONTROL}]*$`;

/** A single line of text. The length counts Unicode code points. */
export function text({ minLength, maxLength }: { minLength: number; maxLength: number }): Rule {
  const pattern = new RegExp(PRINTABLE, 'u');
  return {
    schema: { type: 'string', minLength, maxLength, pattern: PRINTABLE },
    expected: `a string of ${minLength} to ${maxLength} characters, without control characters and not only white space`,
    accepts: (value) => {
      if (typeof value !== 'string' || !value.isWellFormed() || !pattern.test(value)) return false;
      const length = codePoints(value, maxLength);
      return length >= minLength && length <= maxLength;
    },
    fromText: (value) => value,
  };
}

/** A named enumeration of strings. */
export function oneOf(name: string, values: readonly string[], description?: string): Rule {
  return {
    schema: { enum: [...values], enumName: name, enumSchema: { description } },
    expected: `one of ${values.join(', ')}`,
    accepts: (value) => typeof value === 'string' && values.includes(value),
    fromText: (value) => value,
  };
}

/** A 64-bit integer, held as a `bigint`. */
export function int64(): Rule {
  return {
    schema: { type: 'integer', format: 'int64', ...exactly({ minimum: INT64_MIN, maximum: INT64_MAX }) },
    expected: `an integer from ${INT64_MIN} to ${INT64_MAX}`,
    accepts: isInt64,
    fromText: (value) => int64FromText(value) ?? value,
  };
}

/** A small integer, held as a `number`. The JSON parser reads every integer as a `bigint`. */
export function integer({ minimum, maximum }: { minimum: number; maximum: number }): Rule {
  return {
    schema: { type: 'integer', format: 'int32', minimum, maximum },
    expected: `an integer from ${minimum} to ${maximum}`,
    accepts: (value) =>
      typeof value === 'number' && Number.isSafeInteger(value) && value >= minimum && value <= maximum,
    fromText: (value) => {
      const exact = int64FromText(value);
      return exact === undefined ? value : Number(exact);
    },
    fromJson: (value) => (typeof value === 'bigint' ? Number(value) : value),
  };
}

/** Stops counting at one past the limit. */
function codePoints(value: string, limit: number): number {
  let count = 0;
  for (const _ of value) if (++count > limit) break;
  return count;
}

/** Keeps the bounds as bigints. As numbers they would be rounded in the document. */
function exactly(bounds: { minimum: bigint; maximum: bigint }): { minimum: number; maximum: number } {
  return bounds as unknown as { minimum: number; maximum: number };
}
