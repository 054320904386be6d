import type fc from 'fast-check';
import type { Operation } from './document.js';
import * as field from './field-faults.js';
import * as json from './json-faults.js';
import * as other from './parameter-faults.js';
import type { Sent } from './requests.js';

type Make = (operation: Operation) => fc.Arbitrary<Sent> | undefined;

/** The kinds of faults, each with its documented error code. */
const FAULTS: readonly [fault: string, code: string, make: Make][] = [
  ['a missing required field', 'missing_field', field.missingField],
  ['a field of the wrong type', 'invalid_field', field.otherType],
  ['a number out of bounds or with a fraction', 'invalid_field', field.outOfBounds],
  ['a string that is too short or too long', 'invalid_field', field.wrongLength],
  ['a string that does not match its pattern', 'invalid_field', field.againstPattern],
  ['a value outside the enumeration', 'invalid_field', field.notListed],
  ['a text of another format', 'invalid_field', field.otherFormat],
  ['the other boolean', 'invalid_field', field.notThisBoolean],
  ['a decimal out of bounds or with too many places', 'invalid_field', field.noDecimal],
  ['a list of a wrong size, or with a value twice', 'invalid_field', field.wrongSize],
  ['an undocumented field of a nested object', 'unknown_field', field.unknownWithin],
  ['a lone surrogate', 'invalid_field', field.halfCharacter],
  ['an undocumented field', 'unknown_field', field.unknownField],
  ['a duplicate field', 'invalid_json', json.repeatedField],
  ['a truncated body', 'invalid_json', json.cutShort],
  ['text before or after the body', 'invalid_json', json.surrounded],
  ['almost JSON', 'invalid_json', json.almostJson],
  ['JSON that is not an object', 'invalid_json', json.notAnObject],
  ['invalid UTF-8', 'invalid_json', json.notUtf8],
  ['another media type', 'unsupported_media_type', json.otherMediaType],
  ['a content coding', 'unsupported_media_type', json.contentCoding],
  ['a body that is too large', 'payload_too_large', json.tooLarge],
  ['an invalid parameter', 'invalid_parameter', other.invalidParameter],
  ['a parameter just out of bounds', 'invalid_parameter', other.justOutOfBounds],
  ['a list in the query of a wrong size, or with a value twice', 'invalid_parameter', other.wrongList],
  ['an empty parameter', 'invalid_parameter', other.emptyParameter],
  ['a repeated parameter', 'invalid_parameter', other.repeatedParameter],
  ['an undocumented parameter', 'unknown_parameter', other.unknownParameter],
  ['an invalid path parameter', 'not_found', other.invalidPath],
  ['broken percent-encoding in the path', 'bad_request', other.brokenPath],
  ['an invalid Idempotency-Key', 'invalid_idempotency_key', other.invalidKeyHeader],
  ['a missing key', 'missing_api_key', other.noKey],
  ['an invalid key', 'invalid_api_key', other.wrongKey],
  ['a request target that is too long', 'uri_too_long', other.longTarget],
  ['headers that are too large', 'headers_too_large', other.largeHeaders],
];

export interface Fault {
  readonly fault: string;
  readonly code: string;
  readonly operation: Operation;
  readonly requests: fc.Arbitrary<Sent>;
}

/** The faults that apply to an operation. */
export function faultsOf(operation: Operation): Fault[] {
  return FAULTS.flatMap(([fault, code, make]) => {
    const requests = make(operation);
    return requests ? [{ fault, code, operation, requests }] : [];
  });
}
