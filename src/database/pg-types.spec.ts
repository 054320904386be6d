import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { fieldReader, types } from './pg-types.js';

const { BOOL, FLOAT8, INT4, INT8, TEXT, TIMESTAMPTZ } = pg.types.builtins;

/** Reads a value as it stands in an answer: between others. */
function read(oid: number, text: string): unknown {
  const before = Buffer.from('7é');
  const value = Buffer.from(text);
  const bytes = Buffer.concat([before, value, Buffer.from('8')]);
  return fieldReader(oid)(bytes, before.length, before.length + value.length);
}

describe('fieldReader', () => {
  it('reads every int8 exactly', () => {
    const extremes = [0n, -1n, 999_999_999_999_999n, -99_999_999_999_999n, -(2n ** 63n), 2n ** 63n - 1n];
    for (const value of extremes) expect(read(INT8, String(value))).toBe(value);
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
        (value) => read(INT8, String(value)) === value,
      ),
    );
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(2n ** 54n), max: 2n ** 54n }),
        (value) => read(INT8, String(value)) === value,
      ),
    );
  });

  it('reads any text', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => expect(read(TEXT, text)).toBe(text)));
  });

  it.each([
    ['bool', BOOL, 't'],
    ['int4', INT4, '-12'],
    ['float8', FLOAT8, '1.5e300'],
    ['timestamptz', TIMESTAMPTZ, '2026-11-21 10:00:00.123+00'],
  ])('reads other types like the driver: %s', (_name, oid, text) => {
    expect(read(oid, text)).toEqual((types.getTypeParser(oid, 'text') as (text: string) => unknown)(text));
  });

  it.each([
    ['infinity', 8.64e15],
    ['-infinity', -8.64e15],
    ['294276-12-31 23:59:59.999999+00', 8.64e15],
    ['4714-11-24 00:00:00+00 BC', Date.UTC(-4713, 10, 24)],
    ['1969-12-31 23:59:59.999+00', -1],
  ])('reads the time %s as a valid date', (text, milliseconds) => {
    expect(read(TIMESTAMPTZ, text)).toEqual(new Date(milliseconds));
  });
});
