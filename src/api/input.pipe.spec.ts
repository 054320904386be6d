import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import type { Type } from '@nestjs/common';
import { plainToInstance, Transform } from 'class-transformer';
import { IsEmail, validateSync } from 'class-validator';
import { ApiError } from './errors.js';
import { readInput } from './input.pipe.js';
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

  @Int64List({ maxItems: 2 }, { ...about, optional: true })
  readonly list?: bigint[];

  @IsEmail()
  @Text({ minLength: 1, maxLength: 50 }, { ...about, optional: true })
  readonly email?: string;

  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value))
  @Text({ minLength: 1, maxLength: 3 }, { ...about, optional: true })
  readonly trimmed?: string;
}

const VALUES: Record<keyof Everything, unknown[]> = {
  text: ['Rex', '', '      ', 'too long', '😀😀😀😀😀', '\ud800', 'a\u0007', 5n, null],
  large: [5n, 2n ** 63n - 1n, 2n ** 63n, '5', null, true],
  small: [5n, 0n, 10n, '5', null],
  size: ['s', 'l', null, ['s']],
  flag: [true, false, 'true', null],
  at: ['2026-03-31T14:30:00Z', '2026-02-30T14:30:00Z', '2026-03-31', null, 5n],
  list: [[1n, 2n], [1n, 1n], [1n, 2n, 3n], [], [1n, 'x'], ['1', '2'], '1,2'],
  email: ['rex@example.com', 'rex', 5n],
  trimmed: ['  ab  ', '  abcd  ', '   '],
};
const CASES = Object.entries(VALUES).flatMap(([name, values]) => values.map((value) => [name, value] as const));

/** An instance, or the error. */
function read(type: Type<object>, plain: Record<string, unknown>): object {
  try {
    return readInput(type, plain, 'body');
  } catch (error) {
    return error as ApiError;
  }
}

describe('A reader', () => {
  it.each(CASES)('answers as class-transformer and class-validator do: %s %p', (name, value) => {
    const plain = { text: 'Rex', [name]: value };
    const instance = plainToInstance(Everything, plain);
    const [fault] = validateSync(instance, { forbidUnknownValues: false });
    if (fault) expect(read(Everything, plain)).toMatchObject(refusal('invalid_field', fault.property));
    else expect(read(Everything, plain)).toEqual(instance);
  });

  it('names a missing field, and an unknown one before all others', () => {
    expect(read(Everything, {})).toMatchObject(refusal('missing_field', 'text'));
    expect(read(Everything, { text: '', other: 1n })).toMatchObject(refusal('unknown_field', 'other'));
    const prototype = JSON.parse('{"text":"Rex","__proto__":{}}') as Record<string, unknown>;
    expect(read(Everything, prototype)).toMatchObject(refusal('unknown_field', '__proto__'));
  });

  it('refuses a class with a field that only class-validator knows', () => {
    class Forgotten {
      @IsEmail()
      readonly email!: string;
    }
    expect(() => readInput(Forgotten, {}, 'body')).toThrow('Forgotten.email needs a decorator of src/api/fields.ts.');
  });
});

function refusal(code: string, field: string): object {
  return { code, message: expect.stringContaining(`field "${field}"`) };
}
