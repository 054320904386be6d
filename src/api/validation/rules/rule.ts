import type { Type } from '@nestjs/common';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { Fault } from '../fault.js';

/** Describes valid values once, for the document, the reader and the error message. */
export interface Rule<T = unknown> {
  readonly schema: ApiPropertyOptions;
  /** Completes the sentence "must be …". */
  readonly expected: string;
  /** Reads a value of the JSON parser. */
  readonly fromJson: (value: unknown) => T | Fault;
  /** Reads the text of a path or query parameter. A rule without it is for bodies only. */
  readonly fromText?: (text: string) => T | Fault;
  /** The DTO of a nested object. */
  readonly model?: Type;
}

interface Scalar<T> {
  schema: ApiPropertyOptions;
  expected: string;
  /** Both return `undefined` for a value that they refuse. */
  fromJson: (value: unknown) => T | undefined;
  fromText: (text: string) => T | undefined;
}

/** A rule for single values. */
export function scalar<T>({ schema, expected, fromJson, fromText }: Scalar<T>): Rule<T> {
  const refused = Fault.mustBe(expected);
  const quoted = Fault.mustBe(`${expected}: leave out the quotes`);
  return {
    schema,
    expected,
    fromJson: (value) => {
      const read = fromJson(value);
      if (read !== undefined) return read;
      return typeof value === 'string' && fromText(value) !== undefined ? quoted : refused;
    },
    fromText: (text) => fromText(text) ?? refused,
  };
}
