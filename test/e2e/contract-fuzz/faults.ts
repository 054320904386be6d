import type fc from 'fast-check';
import type { Operation } from './document.js';
import * as field from './field-faults.js';
import * as json from './json-faults.js';
import * as other from './parameter-faults.js';
import type { Sent } from './requests.js';

type Make = (operation: Operation) => fc.Arbitrary<Sent> | undefined;

/** One fault each: what is wrong, and the code that the document lets a client predict. */
const FAULTS: readonly [fault: string, code: string, make: Make][] = [
  ['a required field is missing', 'missing_field', field.missingField],
  ['a field of another type', 'invalid_field', field.otherType],
  ['a number out of its bounds, or not whole', 'invalid_field', field.outOfBounds],
  ['a text that is too short or too long', 'invalid_field', field.wrongLength],
  ['a text against its pattern', 'invalid_field', field.againstPattern],
  ['a value that the enumeration lacks', 'invalid_field', field.notListed],
  ['half of a surrogate pair', 'invalid_field', field.halfCharacter],
  ['a field that is not documented', 'unknown_field', field.unknownField],
  ['a field that is given twice', 'invalid_json', json.repeatedField],
  ['a part of a body', 'invalid_json', json.cutShort],
  ['something around the body', 'invalid_json', json.surrounded],
  ['almost JSON', 'invalid_json', json.almostJson],
  ['JSON, but not an object', 'invalid_json', json.notAnObject],
  ['bytes that are not UTF-8', 'invalid_json', json.notUtf8],
  ['another media type', 'unsupported_media_type', json.otherMediaType],
  ['a content coding', 'unsupported_media_type', json.contentCoding],
  ['a body that is too large', 'payload_too_large', json.tooLarge],
  ['a parameter with a value that it cannot take', 'invalid_parameter', other.invalidParameter],
  ['a parameter just out of its bounds', 'invalid_parameter', other.justOutOfBounds],
  ['an empty parameter', 'invalid_parameter', other.emptyParameter],
  ['a repeated parameter', 'invalid_parameter', other.repeatedParameter],
  ['a parameter that is not documented', 'unknown_parameter', other.unknownParameter],
  ['a path with a value that it cannot take', 'not_found', other.invalidPath],
  ['broken percent-encoding in the path', 'bad_request', other.brokenPath],
  ['no key', 'missing_api_key', other.noKey],
  ['something else than a valid key', 'invalid_api_key', other.wrongKey],
  ['a target that is too long', 'uri_too_long', other.longTarget],
  ['headers that are too large', 'headers_too_large', other.largeHeaders],
];

export interface Fault {
  readonly fault: string;
  readonly code: string;
  readonly operation: Operation;
  readonly requests: fc.Arbitrary<Sent>;
}

/** The faults that a request for an operation can have at all. */
export function faultsOf(operation: Operation): Fault[] {
  return FAULTS.flatMap(([fault, code, make]) => {
    const requests = make(operation);
    return requests ? [{ fault, code, operation, requests }] : [];
  });
}
