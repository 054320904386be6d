import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { Fault } from '../fault.js';
import { text } from './text.js';

describe('text', () => {
  it('says a single length once', () => {
    expect(text({ minLength: 3, maxLength: 3 }).expected).toMatch(/^a string of exactly 3 characters,/);
  });

  const rule = text({ minLength: 1, maxLength: 5 });
  const accepts = (value: unknown): boolean => !(rule.fromJson(value) instanceof Fault);

  it.each(['x', 'Rex', ' x ', '🐕🐕🐕🐕🐕', '\ufeff', '\u200b', 'e\u0301', '\u2028x', '\u{10ffff}'])(
    'accepts %j',
    (value) => {
      expect(accepts(value)).toBe(true);
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
    expect(accepts(value)).toBe(false);
  });

  it('publishes the pattern it enforces', () => {
    const { pattern } = rule.schema as { pattern: string };
    for (let code = 1; code < 0x3100; code++) {
      const value = String.fromCodePoint(code);
      expect({ code, accepted: accepts(value) }).toEqual({
        code,
        accepted: new RegExp(pattern, 'u').test(value),
      });
      const blank = /\p{Cc}/u.test(value) || /\p{White_Space}/u.test(value);
      expect({ code, accepted: accepts(value) }).toEqual({ code, accepted: !blank });
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
