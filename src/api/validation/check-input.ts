import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';
import { ApiError, notFound } from '../errors/api-error.js';
import type { ErrorCode } from '../errors/error-catalogue.js';
import { readFaultless } from './declared-fields.js';

interface Place {
  noun: string;
  unknown: ErrorCode;
  missing: ErrorCode;
  invalid: ErrorCode;
}

const BODY: Place = {
  noun: 'field',
  unknown: 'unknown_field',
  missing: 'missing_field',
  invalid: 'invalid_field',
};
const QUERY: Place = {
  noun: 'parameter',
  unknown: 'unknown_parameter',
  missing: 'invalid_parameter',
  invalid: 'invalid_parameter',
};

/** Turns a body into the input class of the handler, or refuses it and names the first fault. */
export function checkBody<T extends object>(input: Type<T>, given: object): T {
  return readFaultless(input, given) ?? refuse(input, given, BODY);
}

export function checkQuery<T extends object>(input: Type<T>, given: object): T {
  return readFaultless(input, given) ?? refuse(input, given, QUERY);
}

/** A path whose parameter has an impossible value names nothing: the answer is 404, as for any other such path. */
export function checkPath<T extends object>(input: Type<T>, given: object): T {
  const faultless = readFaultless(input, given);
  if (faultless) return faultless;
  const instance = plainToInstance(input, given);
  if (validateSync(instance).length > 0) throw notFound('resource');
  return instance;
}

function refuse<T extends object>(input: Type<T>, given: object, place: Place): T {
  const known = fieldsOf(input);
  const stranger = Object.keys(given).find((name) => !known.includes(name));
  if (stranger !== undefined) {
    throw new ApiError(
      place.unknown,
      `There is no ${place.noun} ${quoted(stranger)}. Known: ${known.join(', ')}.`,
    );
  }
  const instance = plainToInstance(input, given);
  const [fault] = validateSync(instance);
  if (fault === undefined) return instance;
  const [mustBe] = Object.values(fault.constraints ?? {});
  const subject = `The ${place.noun} ${quoted(fault.property)}`;
  throw fault.value === undefined
    ? new ApiError(place.missing, `${subject} is missing; it ${mustBe}.`)
    : new ApiError(place.invalid, `${subject} ${mustBe}.`);
}

const fields = new Map<Type, string[]>();

function fieldsOf(input: Type): string[] {
  let names = fields.get(input);
  if (!names) {
    const metadata = getMetadataStorage().getTargetValidationMetadatas(input, '', true, false);
    names = [...new Set(metadata.map(({ propertyName }) => propertyName))];
    fields.set(input, names);
  }
  return names;
}

/** A client's own text in a message: quoted, shortened, and with every odd character escaped. */
function quoted(name: string): string {
  const shown = [...name].slice(0, 50).join('');
  return JSON.stringify(shown === name ? name : `${shown}…`);
}
