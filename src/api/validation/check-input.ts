import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';
import { ApiError, notFound } from '../errors/api-error.js';
import type { ErrorCode } from '../errors/error-catalogue.js';
import { readValid } from './declared-fields.js';

/** How a message names an input, and the codes of its faults. */
interface Source {
  noun: string;
  unknown: ErrorCode;
  missing: ErrorCode;
  invalid: ErrorCode;
}

const BODY: Source = {
  noun: 'field',
  unknown: 'unknown_field',
  missing: 'missing_field',
  invalid: 'invalid_field',
};
const QUERY: Source = {
  noun: 'parameter',
  unknown: 'unknown_parameter',
  missing: 'invalid_parameter',
  invalid: 'invalid_parameter',
};

/** Converts a body to the handler's input class. Throws an `ApiError` that names the first fault. */
export function checkBody<T extends object>(input: Type<T>, given: object): T {
  return readValid(input, given) ?? validate(input, given, BODY);
}

export function checkQuery<T extends object>(input: Type<T>, given: object): T {
  return readValid(input, given) ?? validate(input, given, QUERY);
}

/** An invalid path parameter is answered with 404: no such resource can exist. */
export function checkPath<T extends object>(input: Type<T>, given: object): T {
  const valid = readValid(input, given);
  if (valid) return valid;
  const instance = plainToInstance(input, given);
  if (validateSync(instance).length > 0) throw notFound('resource');
  return instance;
}

function validate<T extends object>(input: Type<T>, given: object, source: Source): T {
  const known = fieldsOf(input);
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new ApiError(
      source.unknown,
      `There is no ${source.noun} ${quoted(unknown)}. Known: ${known.join(', ')}.`,
    );
  }
  const instance = plainToInstance(input, given);
  const [fault] = validateSync(instance);
  if (fault === undefined) return instance;
  const [mustBe] = Object.values(fault.constraints ?? {});
  const subject = `The ${source.noun} ${quoted(fault.property)}`;
  throw fault.value === undefined
    ? new ApiError(source.missing, `${subject} is missing; it ${mustBe}.`)
    : new ApiError(source.invalid, `${subject} ${mustBe}.`);
}

function fieldsOf(input: Type): string[] {
  const metadata = getMetadataStorage().getTargetValidationMetadatas(input, '', true, false);
  return [...new Set(metadata.map(({ propertyName }) => propertyName))];
}

/** Makes client text safe to show in a message: quoted, escaped, and at most 50 characters. */
function quoted(name: string): string {
  const shown = [...name].slice(0, 50).join('');
  return JSON.stringify(shown === name ? name : `${shown}…`);
}
