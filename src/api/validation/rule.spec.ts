import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { int64, integer, oneOf, text } from './rule.js';

describe('text', () => {
  const rule = text({ minLength: 1, maxLength: 5 });

  it.each(['x', 'Rex', ' x ', '🐕🐕🐕🐕🐕', '\ufeff', '\u200b', 'e\u0301', '\u2028x', '\u{10ffff}'])(
    'accepts %j',
    (value) => {
      expect(rule.accepts(value)).toBe(true);
    },
  );

  it.each([
    '',
    ' ',
    '\u00a0\u2003\u3000',
    '\u2028',
    'sixsix',
    '🐕🐕🐕🐕🐕🐕',
    'a\0b',
    '\n',
    '\x7f',
    '\x85',
    '\x9f',
    '\ud800',
    'x\udc00',
    5,
    null,
    undefined,
    ['x'],
    {},
  ])('rejects %j', (value) => {
    expect(rule.accepts(value)).toBe(false);
  });

  it('publishes the pattern it enforces', () => {
    const { pattern } = rule.schema as { pattern: string };
    for (let code = 1; code < 0x3100; code++) {
      const value = String.fromCodePoint(code);
      expect({ code, accepted: rule.accepts(value) }).toEqual({
        code,
        accepted: new RegExp(pattern, 'u').test(value),
      });
      const blank = /\p{Cc}/u.test(value) || /\p{White_Space}/u.test(value);
      expect({ code, accepted: rule.accepts(value) }).toEqual({ code, accepted: !blank });
    }
  });

  it('publishes a pattern that reads a text once', () => {
    const { pattern } = rule.schema as { pattern: string };
    const long = 'x'.repeat(500_000);
    // A pattern that takes the square of the length in steps needs minutes, one that reads it once milliseconds.
    for (const value of [`${long}\0`, ' '.repeat(500_000), `${' x'.repeat(250_000)}\0`]) {
      const found = runInNewContext(
        "new RegExp(pattern, 'u').test(value)",
        { pattern, value },
        { timeout: 10_000 },
      );
      expect(found).toBe(false);
    }
  });
});

describe('integer', () => {
  const rule = integer({ minimum: 1, maximum: 100 });

  it('accepts only integers within its bounds', () => {
    expect([1, 50, 100].map((value) => rule.accepts(value))).toEqual([true, true, true]);
    expect([0, 101, 1.5, NaN, '5', 5n].map((value) => rule.accepts(value))).not.toContain(true);
  });

  it('parses plain decimal digits only', () => {
    expect(rule.fromText('7')).toBe(7);
    for (const odd of ['07', '7.0', '0x7', ' 7', '']) expect(rule.accepts(rule.fromText(odd))).toBe(false);
  });
});

describe('int64', () => {
  it('publishes its bounds exactly', () => {
    expect(int64().schema).toMatchObject({ minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n });
  });
});

describe('oneOf', () => {
  it('accepts exact matches only', () => {
    const rule = oneOf('Size', ['small', 'large']);
    expect(rule.accepts('small')).toBe(true);
    for (const odd of ['Small', ' small', '', null, 0, ['small']]) expect(rule.accepts(odd)).toBe(false);
  });
});
