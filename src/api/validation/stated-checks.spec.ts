import { describe, expect, it } from '@jest/globals';
import {
  ArrayMaxSize,
  IsEmail,
  IsISIN,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUrl,
  IsUUID,
  Length,
  Matches,
  Max,
  Min,
  ValidateIf,
} from 'class-validator';
import { Field } from './field.decorator.js';
import { readerOf } from './reader.js';
import { boolean, decimal, int64, integer, listOf, oneOf, text } from './rule.js';
import type { Rule } from './rules/rule.js';

const line = text({ minLength: 1, maxLength: 50 });
const small = integer({ minimum: 1, maximum: 9 });

/** What the document says of a property with a rule and other decorators. */
function documented(rule: Rule, ...checks: PropertyDecorator[]): Record<string, unknown> {
  class Toy {
    declare readonly code: never;
  }
  Field(rule as Rule<never>, { description: 'Sample.' })(Toy.prototype, 'code');
  for (const check of checks) check(Toy.prototype, 'code');
  readerOf(Toy);
  return Reflect.getMetadata('swagger/apiModelProperties', Toy.prototype, 'code') as Record<string, unknown>;
}

describe('The decorators of class-validator', () => {
  it.each<[string, Rule, PropertyDecorator[], object]>([
    ['an email', line, [IsString(), IsEmail()], { format: 'email', minLength: 1, maxLength: 50 }],
    ['a URL', line, [IsUrl({ require_protocol: true })], { format: 'uri' }],
    ['a UUID', line, [IsUUID('4')], { format: 'uuid', pattern: '^.{14}4.{4}[89ABab]' }],
    ['a pattern', line, [Matches(/^[A-Z]+$/u)], { pattern: '^[A-Z]+$', maxLength: 50 }],
    ['an enumeration', line, [IsIn(['a', 'b'])], { enum: ['a', 'b'] }],
    ['lengths', line, [Length(0, 5)], { minLength: 1, maxLength: 5 }],
    ['bounds', small, [IsInt(), Min(3), Max(100)], { minimum: 3, maximum: 9 }],
    ['a check that asks for nothing', line, [IsOptional()], { minLength: 1 }],
    ['its own schema', line, [IsISIN({ context: { schema: { format: 'isin' } } })], { format: 'isin' }],
    [
      'items',
      listOf(line, { maxItems: 9 }),
      [ArrayMaxSize(3), IsEmail({}, { each: true })],
      { type: 'array', maxItems: 3, items: { format: 'email', maxLength: 50 } },
    ],
  ])('are documented: %s', (_title, rule, checks, schema) => {
    expect(documented(rule, ...checks)).toMatchObject({ ...schema, description: 'Sample.', required: true });
  });

  it.each<[string, Rule, PropertyDecorator, string]>([
    ['isIsin', line, IsISIN(), 'add it to'],
    ['isEmail', line, IsEmail({ allow_display_name: true }), 'leave out its options'],
    ['isUrl', line, IsUrl(), 'give it { require_protocol: true } alone'],
    ['isUuid', line, IsUUID('loose'), 'name one version, 1 to 8'],
    ['matches', line, Matches(/^a$/iu), 'give the pattern the flag u, and no other'],
    ['isEmail', line, IsEmail({}, { validateIf: () => false }), 'add it to'],
    ['conditionalValidation', line, ValidateIf(() => true), 'add it to'],
    ['min', int64(), Min(1), 'add it to'],
    ['min', decimal({ minimum: 0, maximum: 9, scale: 0 }), Min(1), 'add it to'],
    ['isIn', oneOf('ToyShade', ['a', 'b']), IsIn(['a']), 'add it to'],
    ['isInt', boolean(), IsInt(), 'add it to'],
  ])('are refused where no schema says the same: %s', (name, rule, check, advice) => {
    expect(() => documented(rule, check)).toThrow(
      `Toy.code has the check "${name}", which the document would not state: ${advice}`,
    );
  });

  it('are refused where one keyword would have to say two things', () => {
    expect(() => documented(line, Matches(/^a/u), Matches(/b$/u))).toThrow(
      'Toy.code has two checks of its pattern: combine them.',
    );
  });
});
