import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { IsEmail } from 'class-validator';
import { FieldReader, Fault } from './field-reader.js';
import { Bool, DateTime, Int, Int64, Int64List, OneOf, Text } from './fields.js';

const about = { description: '' };

class Everything {
  @Text({ minLength: 1, maxLength: 5 }, about)
  readonly text!: string;

  @Int64({ ...about, optional: true })
  readonly large?: bigint;

  @Int({ minimum: 1, maximum: 9 }, { ...about, optional: true })
  readonly small?: number;

  @OneOf('Size', ['s', 'm'], { ...about, optional: true })
  readonly size?: string;

  @Bool({ ...about, optional: true })
  readonly flag?: boolean;

  @DateTime({ ...about, optional: true, nullable: true })
  readonly at?: Date | null;

  @Int64List({ maxItems: 2 }, { ...about, optional: true, text: true })
  readonly list?: bigint[];

  @IsEmail()
  @Text({ minLength: 1, maxLength: 50 }, { ...about, optional: true })
  readonly email?: string;
}

const INT64 = 'an integer from -9223372036854775808 to 9223372036854775807';
const NOON = '2026-03-31T12:00:00Z';

describe('A reader', () => {
  it.each<[keyof Everything, unknown, unknown]>([
    ['text', '😀😀😀😀😀', '😀😀😀😀😀'],
    ['large', 2n ** 63n - 1n, 2n ** 63n - 1n],
    ['small', 5n, 5],
    ['size', 's', 's'],
    ['flag', false, false],
    ['at', NOON, new Date(NOON)],
    ['at', null, null],
    ['list', '1,2', [1n, 2n]],
    ['email', 'rex@example.com', 'rex@example.com'],
  ])('reads %s: %p', (name, value, expected) => {
    const read = new FieldReader(Everything).read({ text: 'Rex', [name]: value });
    expect(read).toEqual(Object.assign(new Everything(), { text: 'Rex', [name]: expected }));
  });

  it.each<[keyof Everything, unknown, string]>([
    ...['', '      ', 'too long', '\ud800', 'a\u0007', 5n, null].map((value): [keyof Everything, unknown, string] => [
      'text',
      value,
      'must be a string of 1 to 5 characters',
    ]),
    ['large', 2n ** 63n, `must be ${INT64}`],
    ['large', '5', `must be ${INT64}: leave out the quotes`],
    ['small', 0n, 'must be an integer from 1 to 9'],
    ['small', null, 'must be an integer from 1 to 9'],
    ['size', 'l', 'must be one of s, m'],
    ['size', ['s'], 'must be one of s, m'],
    ['flag', 'true', 'must be true or false: leave out the quotes'],
    ['at', '2026-02-30T14:30:00Z', 'must be a date-time of RFC 3339'],
    ['at', '2026-03-31', 'must be a date-time of RFC 3339'],
    ['list', '1,1', 'must be a list of 1 to 2 items'],
    ['list', '1,2,3', 'must be a list of 1 to 2 items'],
    ['list', '', 'must be a list of 1 to 2 items'],
    ['list', ['1', '2'], 'must be a list of 1 to 2 items'],
    ['email', 'rex', 'must be an email'], // says class-validator
  ])('refuses %s: %p', (name, value, says) => {
    const read = new FieldReader(Everything).read({ text: 'Rex', [name]: value });
    expect(read).toMatchObject({ kind: 'invalid', name, says: expect.stringContaining(says) });
  });

  it('names a missing field, and an unknown one before all others', () => {
    const reader = new FieldReader(Everything);
    expect(reader.read({})).toMatchObject({ kind: 'missing', name: 'text' });
    expect(reader.read({ text: '', other: 1n })).toMatchObject({ kind: 'unknown', name: 'other' });
    const prototype = JSON.parse('{"text":"Rex","__proto__":{}}') as Record<string, unknown>;
    expect(reader.read(prototype)).toMatchObject({ kind: 'unknown', name: '__proto__' });
  });

  it('refuses a class with a field that only class-validator knows', () => {
    class Forgotten {
      @IsEmail()
      readonly email!: string;
    }
    expect(() => new FieldReader(Forgotten)).toThrow('Forgotten.email needs a decorator of src/api/fields.ts.');
    expect(new FieldReader(Everything).read({ text: '' })).toBeInstanceOf(Fault);
  });
});
