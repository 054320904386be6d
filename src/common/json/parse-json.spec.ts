import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { parse } from 'lossless-json';
import { int64FromJsonNumber } from '../int64/int64.js';
import { MAX_DEPTH, NonInt64Number, parseJson } from './parse-json.js';

function outcomeOf(read: () => unknown): unknown {
  try {
    return read();
  } catch (error) {
    return (error as Error).name;
  }
}

describe('parseJson', () => {
  it('parses every kind of JSON value', () => {
    expect(parseJson('{"a":[1,"x",true,false,null,{}],"b":{"c":"\\u00e9\\n"}}')).toEqual({
      a: [1n, 'x', true, false, null, {}],
      b: { c: 'é\n' },
    });
    expect(parseJson(' \t\r\n"x" ')).toBe('x');
  });

  it('parses an int64 to a bigint and keeps the text of any other number', () => {
    expect(parseJson('[9007199254740993,1e2,1.5,1e400]')).toEqual([
      9007199254740993n,
      100n,
      new NonInt64Number('1.5'),
      new NonInt64Number('1e400'),
    ]);
  });

  it.each<[string, unknown]>([
    ['-0', 0n],
    ['-7', -7n],
    ['999999999999999', 999999999999999n],
    ['9999999999999999', 9999999999999999n],
    ['9223372036854775808', new NonInt64Number('9223372036854775808')],
    ['4.0', 4n],
    ['4.0000000000000000000001', new NonInt64Number('4.0000000000000000000001')],
    ['9007199254740991.4', new NonInt64Number('9007199254740991.4')],
    ['1e-400', new NonInt64Number('1e-400')],
    ['1E3', 1000n],
  ])('parses %s exactly', (text, value) => {
    expect(parseJson(text)).toEqual(value);
    expect(parseJson(`{"a":[{"b":${text}}]}`)).toEqual({ a: [{ b: value }] });
  });

  it('agrees with lossless-json on arbitrary documents', () => {
    const parseNumber = (text: string) => int64FromJsonNumber(text) ?? new NonInt64Number(text);
    const written = fc.oneof(
      fc.json(),
      fc.json().map((text) => text.replace(/\d/g, '$&$&$&')),
    );
    fc.assert(
      fc.property(written, (text) => {
        expect(outcomeOf(() => parseJson(text))).toEqual(
          outcomeOf(() => parse(text, undefined, { parseNumber })),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('treats __proto__ as an ordinary key', () => {
    const value = parseJson('{"__proto__":{"polluted":true}}') as object;
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect({}).not.toHaveProperty('polluted');
  });

  it.each([
    '{"a":1,"a":2}',
    '{"a":1,"a":1}',
    '{"a":"x","a":"x"}',
    '{"a":{},"a":{}}',
    '{"x":{"a":null,"a":null}}',
    '[{"a":1},{"b":1,"b":1}]',
    '{"a":1,"\\u0061":1}',
    '{"a" :1,"a"\t:1}',
    '{"__proto__":1,"__proto__":1}',
  ])('rejects duplicate keys: %s', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  it.each([
    '{"a":"b:"}',
    '{"a":"\\":","b":1}',
    '["a:","a:"]',
    '[{"a":1},{"a":1}]',
    '{"a":{"a":{"a":1}}}',
    '{"\\"":":","\\\\":1}',
  ])('does not mistake colons and quotes in strings for keys: %s', (text) => {
    expect(() => parseJson(text)).not.toThrow();
  });

  it('refuses deep nesting before a parser, which would take long, sees it', () => {
    const parser = jest.spyOn(JSON, 'parse');
    expect(() => parseJson('['.repeat(8_000))).toThrow('More than 32 levels of nesting');
    expect(parser).not.toHaveBeenCalled();
    parser.mockRestore();
  });

  it('limits nesting to 32 levels', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(() => parseJson(nested(MAX_DEPTH))).not.toThrow();
    expect(() => parseJson(nested(MAX_DEPTH + 1))).toThrow('More than 32 levels of nesting');
    expect(() => parseJson(`["${'['.repeat(100)}"]`)).not.toThrow();
  });

  it.each(['[', '{', '"', '\\', '"\\', '"\\"', '{"a":', '[[[{"'])(
    'rejects thousands of unterminated tokens: %s',
    (start) => {
      expect(() => parseJson(start.repeat(16_384 / start.length))).toThrow(SyntaxError);
    },
  );
});
