import type { Type } from '@nestjs/common';
import { ApiError, notFound } from '../errors/api-error.js';
import type { ErrorCode } from '../errors/error-catalogue.js';
import { Fault } from './fault.js';
import { readerOf } from './reader.js';

/** How a message names an input, and the codes of its faults. */
interface Source extends Record<Fault['kind'], ErrorCode> {
  noun: string;
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
  return accepted(readerOf(input).read(given), BODY);
}

export function checkQuery<T extends object>(input: Type<T>, given: object): T {
  return accepted(readerOf(input).read(given), QUERY);
}

/** An invalid path parameter is answered with 404: no such resource can exist. */
export function checkPath<T extends object>(input: Type<T>, given: object): T {
  const read = readerOf(input).read(given);
  if (read instanceof Fault) throw notFound('resource');
  return read;
}

function accepted<T>(read: T | Fault, source: Source): T {
  if (!(read instanceof Fault)) return read;
  const { kind, path, says } = read;
  const subject = `${source.noun} ${JSON.stringify(path)}`; // quoted and escaped: it may be the client's text
  throw new ApiError(
    source[kind],
    kind === 'unknown' ? `There is no ${subject}. ${says}` : `The ${subject} ${says}.`,
  );
}
