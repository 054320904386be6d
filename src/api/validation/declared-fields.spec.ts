import { describe, expect, it } from '@jest/globals';
import { IsOptional, MinLength } from 'class-validator';
import { readValid } from './declared-fields.js';
import { Field, OptionalField, QueryParameter } from './field.decorator.js';
import { int64, oneOf, text } from './rule.js';

class Base {
  @Field(text({ minLength: 1, maxLength: 5 }), {})
  readonly name!: string;
}

class Input extends Base {
  @OptionalField(oneOf('Size', ['s', 'm']), {})
  readonly size?: string;

  @QueryParameter(int64(), {})
  readonly after?: bigint;
}

describe('readValid', () => {
  it('returns an instance of the class for valid input', () => {
    const input = readValid(Input, { name: 'Rex', size: 's', after: '-5' });
    expect(input).toBeInstanceOf(Input);
    expect(input).toEqual({ name: 'Rex', size: 's', after: -5n });
    expect(readValid(Input, { name: 'Rex' })).toEqual({ name: 'Rex' });
  });

  it.each([
    [{}],
    [{ name: '' }],
    [{ name: 'longer' }],
    [{ name: null }],
    [{ name: 'Rex', size: 'l' }],
    [{ name: 'Rex', size: null }],
    [{ name: 'Rex', after: '1.5' }],
    [{ name: 'Rex', after: ['1', '2'] }],
    [{ name: 'Rex', other: 1 }],
    [JSON.parse('{"name":"Rex","__proto__":{}}') as object],
    [Object.create({ name: 'Rex' }) as object],
  ])('returns undefined for invalid input: %j', (given) => {
    expect(readValid(Input, given)).toBeUndefined();
  });

  it('returns undefined for a class that also uses class-validator decorators', () => {
    class Mixed extends Base {
      @MinLength(3)
      @IsOptional()
      readonly note?: string;
    }
    class Stricter extends Base {
      @MinLength(3)
      declare readonly name: string;
    }
    expect(readValid(Mixed, { name: 'Rex' })).toBeUndefined();
    expect(readValid(Stricter, { name: 'R' })).toBeUndefined();
  });
});
