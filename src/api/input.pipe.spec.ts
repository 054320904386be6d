import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { Body, Param, Query, type Type } from '@nestjs/common';
import { plainToInstance, Transform } from 'class-transformer';
import { IsEmail, validateSync } from 'class-validator';
import { Deleted, Fetched } from './decorators.js';
import { ApiError } from './errors.js';
import { RunOnce } from './idempotency/repeatable.js';
import { readInput } from './input.pipe.js';
import { Bool, DateTime, Day, Decimal, Int, Int64, OneOf, Text } from './fields.js';

const about = { description: '' };
const CODE = '6 to 12 capital letters or digits';

class Everything {
  @Text({ minLength: 1, maxLength: 5 }, about) readonly text!: string;
  @Int64({ ...about, optional: true }) readonly large?: bigint;
  @Int({ minimum: 1, maximum: 9 }, { ...about, optional: true }) readonly small?: number;
  @OneOf('Size', ['s', 'm'], { ...about, optional: true }) readonly size?: string;
  @Bool({ ...about, optional: true, nullable: true }) readonly flag?: boolean | null;
  @DateTime({ ...about, optional: true, nullable: true }) readonly at?: Date | null;
  @Int64({ ...about, list: { minItems: 1, maxItems: 2 }, optional: true }) readonly list?: bigint[];
  @DateTime({ ...about, list: { minItems: 1, maxItems: 2 }, optional: true }) readonly dates?: Date[];
  @Int64({ ...about, minimum: 1n, maximum: 9n, optional: true }) readonly bounded?: bigint;
  @Decimal({ precision: 5, scale: 2 }, { ...about, optional: true }) readonly price?: string;
  @Decimal({ precision: 5, scale: 2, signed: true }, { ...about, optional: true }) readonly balance?: string;

  @Text({ minLength: 6, maxLength: 12, pattern: '^[A-Z0-9]+$', expected: CODE }, { ...about, optional: true })
  readonly code?: string;

  @Text({ minLength: 1, maxLength: 20, severalLines: true, pattern: '^[^/]+$' }, { ...about, optional: true })
  readonly note?: string;

  @Day({ ...about, optional: true }) readonly day?: string;

  @OneOf('Tag', ['a', 'b', 'c'], { ...about, list: { minItems: 0, maxItems: 2 }, optional: true })
  readonly tags?: string[];

  @IsEmail()
  @Text({ minLength: 1, maxLength: 50 }, { ...about, optional: true })
  readonly email?: string;

  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value))
  @Text({ minLength: 1, maxLength: 3 }, { ...about, optional: true })
  readonly trimmed?: string;
}

const VALUES: Record<keyof Everything, { good: unknown[]; bad: unknown[] }> = {
  text: { good: ['Rex', '😀😀😀😀😀'], bad: ['', '      ', 'too long', '\ud800', 'a\u0007', 5n, null] },
  large: { good: [5n, 2n ** 63n - 1n], bad: [2n ** 63n, '5', null, true] },
  small: { good: [1n, 9n], bad: [0n, 10n, '5', null] },
  size: { good: ['s'], bad: ['l', null, ['s']] },
  flag: { good: [true, false, null], bad: ['true'] },
  at: { good: ['2026-03-31T14:30:00Z', null], bad: ['2026-02-30T14:30:00Z', '2026-03-31', 5n] },
  list: { good: [[1n], [1n, 2n]], bad: [[1n, 1n], [1n, 2n, 3n], [], [1n, 'x'], ['1', '2'], '1,2'] },
  bounded: { good: [1n, 9n], bad: [0n, 10n] },
  price: { good: ['0', '5', '12.5', '999.99'], bad: ['1000', '1.234', '-1', '01', '1.', '.5', '1e2', '', 5n, null] },
  balance: { good: ['-5', '-0', '-0.00', '-999.99'], bad: ['+1', '-1000'] },
  code: { good: ['ABC123', 'ABCDEF123456'], bad: ['abc123', 'ABC12', 'ABCDEF123456X'] },
  note: { good: ['one\ntwo\tthree\r\n', '\n\tx'], bad: ['\n\t ', 'a\u0000', 'a\u000b', 'a/b'] },
  day: { good: ['2026-02-28', '0001-01-01'], bad: ['2026-02-30', '0000-12-31', '2026-1-1', '2026-02-28T00:00:00Z'] },
  tags: { good: [[], ['a', 'b']], bad: [['a', 'a'], ['a', 'b', 'c'], ['x'], 'a'] },
  dates: { good: [['2026-03-31T14:30:00Z']], bad: [['2026-03-31T14:30:00Z', '2026-03-31T16:30:00+02:00']] },
  email: { good: ['rex@example.com'], bad: ['rex', 5n] },
  trimmed: { good: ['  ab  '], bad: ['  abcd  ', '   '] },
};
const CASES = Object.entries(VALUES).flatMap(([name, { good, bad }]) =>
  [...good, ...bad].map((value) => [name, value, good.includes(value)] as const),
);

/** An instance, or the error. */
function read(type: Type<object>, plain: Record<string, unknown>): object {
  try {
    return readInput(type, plain, 'body');
  } catch (error) {
    return error as ApiError;
  }
}

describe('A reader', () => {
  it.each(CASES)('answers as class-transformer and class-validator do: %s %p is good: %p', (name, value, isGood) => {
    const plain = { text: 'Rex', [name]: value };
    const instance = plainToInstance(Everything, plain);
    const [fault] = validateSync(instance, { forbidUnknownValues: false });
    expect(!fault).toBe(isGood);
    if (fault) expect(read(Everything, plain)).toMatchObject(refusal('invalid_field', fault.property));
    else expect(read(Everything, plain)).toEqual(instance);
  });

  it.each([
    ['price', '5', '5.00'],
    ['price', '12.5', '12.50'],
    ['balance', '-0', '0.00'],
    ['balance', '-7.1', '-7.10'],
  ])('completes the fraction of the %s %s', (name, value, completed) => {
    expect(read(Everything, { text: 'Rex', [name]: value })).toMatchObject({ [name]: completed });
  });

  it.each([
    ['bounded', 12n, 'an integer from 1 to 9'],
    ['small', Number.NaN, 'an integer from 1 to 9'], // 12.5
    ['price', 5n, 'a decimal number in quotes, with at most 3 digits before the point and 2 after it, not negative'],
    ['code', 'x', CODE],
    ['note', '\u0000', 'a string of 1 to 20 characters, without control characters except line breaks and tabs'],
    ['day', 'x', 'a day from 0001-01-01 to 9999-12-31'],
    ['email', 'rex', 'an email'],
    ['flag', 'x', 'true or false, or null'],
    ['tags', ['x'], 'a list of 0 to 2 items separated by commas, none twice, each one of a, b, c'],
  ])('says what the %s must be', (name, value, expected) => {
    const message = expect.stringContaining(`"${name}" must be ${expected}`);
    expect(read(Everything, { text: 'Rex', [name]: value })).toMatchObject({ code: 'invalid_field', message });
  });

  it('names a missing field, and an unknown one before all others', () => {
    expect(read(Everything, {})).toMatchObject(refusal('missing_field', 'text'));
    expect(read(Everything, { text: '', other: 1n })).toMatchObject(refusal('unknown_field', 'other'));
    const prototype = JSON.parse('{"text":"Rex","__proto__":{}}') as Record<string, unknown>;
    expect(read(Everything, prototype)).toMatchObject(refusal('unknown_field', '__proto__'));
  });

  it('refuses at the start a class without fields, or with one that only class-validator knows, and misplaced options', () => {
    class Empty {}
    class Forgotten {
      @IsEmail()
      readonly email!: string;
    }
    expect(() => {
      class Controller {
        @Fetched({ type: Everything, description: '' })
        get(@Param() _path: Everything, @Query() _query: Forgotten) {}
      }
      return Controller;
    }).toThrow('Forgotten.email needs a decorator of src/api/fields.ts.');
    for (const Place of [Body, Query, Param])
      expect(() => {
        class Controller {
          @Deleted(about) delete(@Place() _given: Empty, @RunOnce() _runOnce: RunOnce) {}
        }
        return Controller;
      }).toThrow('Empty has no fields');
    expect(() => Bool({ ...about, minimum: 1 } as never)).toThrow('"minimum" is not an option of every field');
    expect(() => Decimal({ precision: 5, scale: 0 }, about)).toThrow('digits on both sides of the point');
  });
});

function refusal(code: string, field: string): object {
  return { code, message: expect.stringContaining(`field "${field}"`) };
}
