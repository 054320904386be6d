import { describe, expect, it } from '@jest/globals';
import { parseJson } from '../../../common/json/parse-json.js';
import { Fault } from '../fault.js';
import { Field } from '../field.decorator.js';
import {
  boolean,
  dateTime,
  decimal,
  email,
  int64,
  integer,
  listOf,
  nested,
  nullable,
  oneOf,
  text,
} from '../rule.js';
import type { Rule } from './rule.js';

class Address {
  @Field(text({ minLength: 1, maxLength: 5 }), {})
  readonly city!: string;
}

const REFUSED = Symbol('refused');
const outcome = (read: unknown): unknown => (read instanceof Fault ? REFUSED : read);
const fromJson = (rule: Rule, json: string): unknown => outcome(rule.fromJson(parseJson(json)));
const fromText = (rule: Rule, given: string): unknown => outcome(rule.fromText?.(given));
const saysOf = (rule: Rule, json: string): string => {
  const { path, says } = rule.fromJson(parseJson(json)) as Fault;
  return path === '' ? says : `${path} ${says}`;
};

describe('integer', () => {
  const rule = integer({ minimum: 1, maximum: 100 });

  it.each<[string, unknown]>([
    ['1', 1],
    ['100', 100],
    ['1e2', 100],
    ['0', REFUSED],
    ['101', REFUSED],
    ['4611686018427387904', REFUSED],
    ['1.5', REFUSED],
    ['"5"', REFUSED],
    ['null', REFUSED],
    ['[4]', REFUSED],
    ['true', REFUSED],
  ])('reads %s', (json, value) => {
    expect(fromJson(rule, json)).toBe(value);
  });

  it('reads plain decimal digits only in a parameter', () => {
    expect(fromText(rule, '7')).toBe(7);
    for (const odd of ['07', '7.0', '0x7', ' 7', '', '101']) expect(fromText(rule, odd)).toBe(REFUSED);
  });
});

describe('int64', () => {
  it('publishes its bounds exactly', () => {
    expect(int64().schema).toMatchObject({ minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n });
  });

  it('asks to leave out the quotes of what would be valid without them', () => {
    const expected = 'must be an integer from -9223372036854775808 to 9223372036854775807';
    expect(saysOf(int64(), '"7"')).toBe(`${expected}: leave out the quotes`);
    for (const odd of ['"x"', '"1.5"', '""', '7.5', 'null']) expect(saysOf(int64(), odd)).toBe(expected);
  });
});

describe('oneOf', () => {
  it('accepts exact matches only', () => {
    const rule = oneOf('Size', ['small', 'large']);
    expect(fromJson(rule, '"small"')).toBe('small');
    for (const odd of ['"Small"', '" small"', '""', 'null', '0', '["small"]']) {
      expect(fromJson(rule, odd)).toBe(REFUSED);
    }
  });
});

describe('email', () => {
  it('accepts addresses that can be stored', () => {
    expect(fromJson(email(), '"rex@example.com"')).toBe('rex@example.com');
    expect(fromText(email(), 'rex@example.com')).toBe('rex@example.com');
    const long = `"rex@${`${'x'.repeat(60)}.`.repeat(5)}com"`;
    for (const odd of ['"rex"', '""', '"rex@\\ud800.com"', '"rex@example.com\\u0000"', long, '5', 'null']) {
      expect(fromJson(email(), odd)).toBe(REFUSED);
    }
  });
});

describe('boolean', () => {
  it('accepts true and false, without quotes', () => {
    expect([fromJson(boolean(), 'true'), fromJson(boolean(), 'false')]).toEqual([true, false]);
    for (const odd of ['0', '1', 'null', '[]', '"true"', '"TRUE"']) {
      expect(fromJson(boolean(), odd)).toBe(REFUSED);
    }
    expect(saysOf(boolean(), '"true"')).toBe('must be true or false: leave out the quotes');
    expect(saysOf(boolean(), '"yes"')).toBe('must be true or false');
  });

  it('is the word in a parameter', () => {
    expect([fromText(boolean(), 'true'), fromText(boolean(), 'false')]).toEqual([true, false]);
    for (const odd of ['', '1', 'True', ' true', 'yes']) expect(fromText(boolean(), odd)).toBe(REFUSED);
  });

  it('may allow only one of them', () => {
    const rule = boolean({ only: true });
    expect([fromJson(rule, 'true'), fromJson(rule, 'false')]).toEqual([true, REFUSED]);
    expect(saysOf(rule, 'false')).toBe('must be true');
    expect(rule.schema).toEqual({ type: 'boolean', enum: [true] });
  });
});

describe('dateTime', () => {
  const rule = dateTime();
  const read = (given: string): unknown => {
    const value = fromJson(rule, JSON.stringify(given));
    return value instanceof Date ? value.toISOString() : value;
  };

  it.each([
    ['2026-03-31T14:30:00Z', '2026-03-31T14:30:00.000Z'],
    ['2026-03-31T16:30:00.25+02:00', '2026-03-31T14:30:00.250Z'],
    ['2026-03-31T14:30:00.125-00:00', '2026-03-31T14:30:00.125Z'],
    ['2026-03-31T14:30:00.5+23:59', '2026-03-30T14:31:00.500Z'],
    ['2024-02-29T23:59:59.999Z', '2024-02-29T23:59:59.999Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0000-12-31T23:00:00-01:00', '0001-01-01T00:00:00.000Z'],
    ['0099-12-31T00:00:00Z', '0099-12-31T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['9999-12-31T23:59:59+00:01', '9999-12-31T23:58:59.000Z'],
  ])('reads %s', (given, value) => {
    expect(read(given)).toBe(value);
  });

  it.each([
    '2026-02-30T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '1900-02-29T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-32T00:00:00Z',
    '2026-03-31T24:00:00Z',
    '2026-03-31T14:60:00Z',
    '2016-12-31T23:59:60Z',
    '2026-03-31T14:30:00+24:00',
    '2026-03-31T14:30:00+02:60',
    '2026-03-31T14:30:00+0200',
    '2026-03-31T14:30:00+02',
    '2026-03-31T14:30:00',
    '2026-03-31T14:30Z',
    '2026-03-31',
    '2026-03-31t14:30:00Z',
    '2026-03-31T14:30:00z',
    '2026-03-31 14:30:00Z',
    '2026-03-31T14:30:00.Z',
    '2026-03-31T14:30:00.1234Z',
    '2026-03-31T14:30:00,5Z',
    '2026-3-31T14:30:00Z',
    ' 2026-03-31T14:30:00Z',
    '2026-03-31T14:30:00Z\n',
    '+002026-03-31T14:30:00Z',
    '-0001-03-31T14:30:00Z',
    '10000-01-01T00:00:00Z',
    '0000-12-31T23:59:59Z',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '٢٠٢٦-03-31T14:30:00Z',
    'now',
    '',
  ])('refuses %j', (given) => {
    expect(read(given)).toBe(REFUSED);
  });

  it.each(['1774967400', 'null', '{}', '["2026-03-31T14:30:00Z"]', 'true'])('refuses %s', (json) => {
    expect(fromJson(rule, json)).toBe(REFUSED);
  });
});

describe('decimal', () => {
  const price = decimal({ minimum: -10, maximum: 999_999.99, scale: 2 });

  it.each<[string, unknown]>([
    ['19.9', '19.90'],
    ['19.90000', '19.90'],
    ['1990e-2', '19.90'],
    ['0.1e1', '1.00'],
    ['7', '7.00'],
    ['0', '0.00'],
    ['-0.0', '0.00'],
    ['0.05', '0.05'],
    ['-0.05', '-0.05'],
    ['-10', '-10.00'],
    ['999999.99', '999999.99'],
    ['-10.01', REFUSED],
    ['1000000', REFUSED],
    ['0.001', REFUSED],
    ['19.900000000000000000001', REFUSED],
    ['1e400', REFUSED],
    ['1e-400', REFUSED],
    ['"19.90"', REFUSED],
    ['null', REFUSED],
    ['true', REFUSED],
    ['[1.5]', REFUSED],
    ['{"text":"1.5"}', REFUSED],
  ])('reads %s', (json, value) => {
    expect(fromJson(price, json)).toBe(value);
  });

  it('keeps every digit that it accepts when it is answered as a number', () => {
    const rule = decimal({ minimum: 0, maximum: 9_999_999_999_999.99, scale: 2 });
    for (const digits of ['9999999999999.99', '9007199254740.93', '1234567890123.45']) {
      expect(String(Number(fromJson(rule, digits)))).toBe(digits);
    }
    const small = decimal({ minimum: 0, maximum: 1, scale: 6 });
    expect(String(Number(fromJson(small, '0.000001')))).toBe('0.000001');
  });

  it('reads plain digits only in a parameter', () => {
    expect(fromText(price, '1.5')).toBe('1.50');
    for (const odd of ['01.5', '1.', '.5', '1e1', '+1', '1,5', '', ' 1', '-0', '-0.0']) {
      expect(fromText(price, odd)).toBe(REFUSED);
    }
  });

  it('asks to leave out the quotes', () => {
    expect(saysOf(price, '"19.90"')).toBe(
      'must be a number from -10 to 999999.99 with at most 2 decimal places: leave out the quotes',
    );
  });

  it('may have no decimal places', () => {
    expect(fromJson(decimal({ minimum: 0, maximum: 5, scale: 0 }), '4.0')).toBe('4');
  });

  it.each([
    { minimum: 0, maximum: 99_999_999_999_999, scale: 2 },
    { minimum: 0.001, maximum: 1, scale: 2 },
    { minimum: 0, maximum: 1, scale: 7 },
  ])('refuses what it could not keep: %j', (range) => {
    expect(() => decimal(range)).toThrow('at most 15 digits');
  });
});

describe('nullable', () => {
  const rule = nullable(integer({ minimum: 1, maximum: 9 }));

  it('reads null, and what its rule reads', () => {
    expect(['null', '5', '0', '"5"'].map((json) => fromJson(rule, json))).toEqual([
      null,
      5,
      REFUSED,
      REFUSED,
    ]);
  });
});

describe('listOf', () => {
  const ids = listOf(int64(), { minItems: 1, maxItems: 3, unique: true });

  it.each<[string, unknown]>([
    ['[1]', [1n]],
    ['[3,1,2]', [3n, 1n, 2n]],
    ['[]', REFUSED],
    ['[1,2,3,4]', REFUSED],
    ['[1,1.0]', REFUSED],
    ['["1"]', REFUSED],
    ['[null]', REFUSED],
    ['1', REFUSED],
    ['{"0":1,"length":1}', REFUSED],
    ['"1,2"', REFUSED],
  ])('reads %s', (json, value) => {
    expect(fromJson(ids, json)).toEqual(value);
  });

  it.each<[string, unknown]>([
    ['1', [1n]],
    ['1,-5,9', [1n, -5n, 9n]],
    ['', REFUSED],
    ['1,', REFUSED],
    [',1', REFUSED],
    ['1,,2', REFUSED],
    ['1, 2', REFUSED],
    ['1;2', REFUSED],
    ['1,1', REFUSED],
    ['1,2,3,4', REFUSED],
    ['[1]', REFUSED],
  ])('reads the parameter %j', (given, value) => {
    expect(fromText(ids, given)).toEqual(value);
  });

  it('names the item at fault', () => {
    expect(saysOf(ids, '[1,"2"]')).toMatch(/^\[1\] must be an integer .*: leave out the quotes$/);
    expect(saysOf(ids, '[1,1]')).toBe('must be a list of 1 to 3 items, none twice');
  });
});

describe('nested', () => {
  const rule = nested(Address);

  it('reads an object to an instance of its class', () => {
    const read = rule.fromJson({ city: 'Rome' });
    expect(read).toBeInstanceOf(Address);
    expect(read).toEqual({ city: 'Rome' });
  });

  it.each([
    ['{}', 'city is missing; it must be a string of 1 to 5 characters'],
    ['{"city":""}', 'city must be a string of 1 to 5 characters'],
    ['{"city":"Rome","zip":1}', 'zip Known: city.'],
    ['{"city":"Rome","__proto__":{}}', '__proto__ Known: city.'],
    ['[]', 'must be an object'],
    ['null', 'must be an object'],
    ['1.5', 'must be an object'],
    ['"Rome"', 'must be an object'],
  ])('refuses %s', (json, says) => {
    expect(saysOf(rule, json)).toContain(says);
  });

  it('names the path', () => {
    const deep = listOf(rule, { maxItems: 3 });
    expect(saysOf(deep, '[{"city":"Rome"},{"city":7}]')).toMatch(/^\[1\]\.city must be a string/);
    expect((deep.fromJson([{}]) as Fault).within('addresses').path).toBe('addresses[0].city');
  });

  it('cannot be a parameter', () => {
    expect(rule.fromText).toBeUndefined();
    expect(listOf(rule, { maxItems: 3 }).fromText).toBeUndefined();
  });
});
