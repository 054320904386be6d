import { describe, expect, it } from '@jest/globals';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsEmail, MinLength, ValidateBy, ValidatorConstraint, Validate, IsIn } from 'class-validator';
import { Fault } from './fault.js';
import { Field, OptionalField, QueryParameter } from './field.decorator.js';
import { readerOf } from './reader.js';
import { dateTime, int64, integer, listOf, nested, nullable, oneOf, text } from './rule.js';

const line = text({ minLength: 1, maxLength: 50 });

class Base {
  @Field(text({ minLength: 1, maxLength: 5 }), {})
  readonly name!: string;
}

class Input extends Base {
  @OptionalField(oneOf('Size', ['s', 'm']), {})
  readonly size?: string;

  @OptionalField(nullable(int64()), {})
  readonly ownerId?: bigint | null;

  @QueryParameter(int64(), {})
  readonly after?: bigint;

  @OptionalField(integer({ minimum: 1, maximum: 500 }), { default: 3 })
  readonly seats!: number;
}

describe('A reader', () => {
  it('returns an instance of the class for valid input', () => {
    const input = readerOf(Input).read({ name: 'Rex', size: 's', after: '-5', seats: 4n, ownerId: 7n });
    expect(input).toBeInstanceOf(Input);
    expect(input).toEqual({ name: 'Rex', size: 's', after: -5n, seats: 4, ownerId: 7n });
  });

  it('applies defaults, and tells a field that is null from one that is left out', () => {
    expect({ ...readerOf(Input).read({ name: 'Rex' }) }).toEqual({ name: 'Rex', seats: 3 });
    expect(readerOf(Input).read({ name: 'Rex', ownerId: null })).toHaveProperty('ownerId', null);
  });

  it.each<[object, string, string]>([
    [{}, 'missing', 'name'],
    [{ name: '' }, 'invalid', 'name'],
    [{ name: null }, 'invalid', 'name'],
    [{ name: 'Rex', size: 'l' }, 'invalid', 'size'],
    [{ name: 'Rex', size: null }, 'invalid', 'size'],
    [{ name: 'Rex', seats: 0n }, 'invalid', 'seats'],
    [{ name: 'Rex', after: '1.5' }, 'invalid', 'after'],
    [{ name: 'Rex', after: ['1', '2'] }, 'invalid', 'after'],
    [{ name: 'Rex', after: 5n }, 'invalid', 'after'],
    [{ name: 'Rex', other: 1n }, 'unknown', 'other'],
    [{ name: '', other: 1n }, 'unknown', 'other'],
    [{ other: 1n }, 'unknown', 'other'],
    [{ ['x'.repeat(60)]: 1n }, 'unknown', `${'x'.repeat(50)}…`],
    [JSON.parse('{"name":"Rex","__proto__":{}}') as object, 'unknown', '__proto__'],
  ])('names the first fault of %p', (given, kind, path) => {
    expect(readerOf(Input).read(given)).toMatchObject({ kind, path });
  });

  it('lists the fields of base classes first', () => {
    expect(readerOf(Input).names).toEqual(['name', 'size', 'ownerId', 'after', 'seats']);
  });

  it('requires a rule for every property of a class', () => {
    class Forgotten extends Base {
      readonly makerId?: bigint;
    }
    class Documented extends Base {
      @ApiProperty()
      declare readonly makerId: bigint;
    }
    expect(() => readerOf(Forgotten)).toThrow('Forgotten.makerId has no rule');
    expect(() => readerOf(Documented)).toThrow('Documented.makerId has no rule');
  });

  it('refuses a default that breaks its rule, with the property', () => {
    expect(() => {
      class Wrong {
        @OptionalField(integer({ minimum: 1, maximum: 5 }), { default: 6 })
        readonly seats!: number;
      }
      return Wrong;
    }).toThrow('The default of Wrong.seats must be an integer from 1 to 5.');
  });

  it('refuses a parameter that has no text, with the property', () => {
    expect(() => {
      class Wrong {
        @QueryParameter(nested(Base), {})
        readonly base?: Base;
      }
      return Wrong;
    }).toThrow('Wrong.base is a parameter, which cannot be an object');
  });

  it('declares no list in a query that may be empty', () => {
    expect(() => {
      class Wrong {
        @QueryParameter(listOf(int64(), { maxItems: 3 }), {})
        readonly ids?: bigint[];
      }
      return Wrong;
    }).toThrow('Wrong.ids is a list in a query, which cannot be empty: give its rule minItems: 1.');
  });
});

describe('Decorators of class-validator', () => {
  class Contact {
    @IsEmail()
    @Field(line, {})
    readonly email!: string;

    @IsIn(['home', 'work'], { message: 'choose home or work' })
    @OptionalField(line, {})
    readonly kind?: string;

    @IsEmail({}, { each: true })
    @OptionalField(listOf(line, { maxItems: 3 }), {})
    readonly others?: string[];
  }
  class Person {
    @Field(nested(Contact), {})
    readonly contact!: Contact;
  }

  it('check what the rules accepted', () => {
    const email = 'rex@example.com';
    expect(readerOf(Contact).read({ email })).toBeInstanceOf(Contact);
    expect(readerOf(Contact).read({ email, kind: 'home', others: [email] })).toBeInstanceOf(Contact);
  });

  it.each<[object, string, string]>([
    [{ contact: { email: 'x' } }, 'contact.email', 'must be an email'],
    [{ contact: { email: 5n } }, 'contact.email', 'must be a string of'],
    [{ contact: { email: 'a@b.example', kind: 'x' } }, 'contact.kind', 'choose home or work'],
    [{ contact: { email: 'a@b.example', others: ['x'] } }, 'contact.others', 'each value in others must be'],
  ])('name the field at fault: %j', (given, path, says) => {
    expect(readerOf(Person).read(given)).toMatchObject({
      kind: 'invalid',
      path,
      says: expect.stringContaining(says),
    });
  });

  it('apply to inherited fields', () => {
    class Stricter extends Base {
      @MinLength(3)
      declare readonly name: string;
    }
    expect(readerOf(Stricter).read({ name: 'R' })).toBeInstanceOf(Fault);
    expect(readerOf(Base).read({ name: 'R' })).toBeInstanceOf(Base);
  });

  it('need a rule', () => {
    class Wrong {
      @IsEmail()
      readonly email!: string;
    }
    expect(() => readerOf(Wrong)).toThrow('Wrong.email has no rule: declare it with @Field(…)');
  });

  it('must not be asynchronous', () => {
    @ValidatorConstraint({ async: true })
    class Slow {
      validate(): Promise<boolean> {
        return Promise.resolve(false);
      }
    }
    class Wrong {
      @Validate(Slow)
      @Field(line, {})
      readonly name!: string;
    }
    expect(() => readerOf(Wrong)).toThrow('Wrong.name has an asynchronous validator');
  });

  it('may compare fields', () => {
    class Span {
      @Field(dateTime(), {})
      readonly from!: Date;

      @ValidateBy(
        {
          name: 'isAfterFrom',
          validator: {
            validate: (value: Date, about) => value > (about!.object as Span).from,
            defaultMessage: () => '$property must be later than from',
          },
        },
        { context: { schema: {} } },
      )
      @Field(dateTime(), {})
      readonly to!: Date;
    }
    const [early, late] = ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z'];
    expect(readerOf(Span).read({ from: early, to: late })).toBeInstanceOf(Span);
    expect(readerOf(Span).read({ from: late, to: early })).toMatchObject({
      path: 'to',
      says: 'must be later than from',
    });
  });
});

describe('Decorators of class-transformer', () => {
  class Note {
    @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value))
    @Field(text({ minLength: 1, maxLength: 3 }), {})
    readonly text!: string;

    @OptionalField(int64(), { default: 1 })
    readonly petId!: bigint;
  }

  it('change the input before the rules read it', () => {
    expect({ ...readerOf(Note).read({ text: '  Rex  ' }) }).toEqual({ text: 'Rex', petId: 1n });
    expect({ ...readerOf(Note).read({ text: 'Rex', petId: 7n }) }).toEqual({ text: 'Rex', petId: 7n });
    expect(readerOf(Note).read({ text: 'Rexxx' })).toMatchObject({ kind: 'invalid', path: 'text' });
    expect(readerOf(Note).read({ petId: 7n })).toMatchObject({ kind: 'missing', path: 'text' });
    expect(readerOf(Note).read({ text: 'Rex', other: 1n })).toMatchObject({ kind: 'unknown', path: 'other' });
  });
});
