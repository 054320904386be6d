import type { Type } from '@nestjs/common';
import { getSchemaPath } from '@nestjs/swagger';
import { NonInt64Number } from '../../../common/json/parse-json.js';
import { Fault } from '../fault.js';
import { readerOf } from '../reader.js';
import type { Rule } from './rule.js';

/** An object with the fields of another DTO. */
export function nested<T extends object>(model: Type<T>): Rule<T> {
  const refused = Fault.mustBe('an object');
  return {
    schema: { type: 'object', allOf: [{ $ref: getSchemaPath(model) }] } as never,
    expected: 'an object',
    fromJson: (value) => (isObject(value) ? readerOf(model).read(value) : refused),
    model,
  };
}

function isObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return !(value instanceof NonInt64Number);
}
