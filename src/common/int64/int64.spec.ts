import { describe, expect, it } from '@jest/globals';
import { INT64_MAX, INT64_MIN, int64FromJsonNumber, int64FromText, isInt64 } from './int64.js';

describe('int64FromText', () => {
  it.each(['0', '1', '-1', '9007199254740993', String(INT64_MAX), String(INT64_MIN)])('reads %s', (text) => {
    expect(int64FromText(text)).toBe(BigInt(text));
  });

  it.each([
    '',
    '-',
    '+1',
    '01',
    '-0',
    '1.0',
    '1e3',
    ' 1',
    '1 ',
    '0x1',
    '1n',
    '٣',
    String(INT64_MAX + 1n),
    String(INT64_MIN - 1n),
  ])('rejects "%s"', (text) => {
    expect(int64FromText(text)).toBeUndefined();
  });
});

describe('int64FromJsonNumber', () => {
  it.each<[string, bigint]>([
    ['0', 0n],
    ['-0', 0n],
    ['0.000', 0n],
    ['0e5', 0n],
    ['0e-5', 0n],
    ['1.0', 1n],
    ['1e3', 1000n],
    ['1E+3', 1000n],
    ['-1.5e1', -15n],
    ['1000e-3', 1n],
    ['0.001e3', 1n],
    ['10.50e1', 105n],
    ['9223372036854775807', INT64_MAX],
    ['9223372036854775.807e3', INT64_MAX],
    ['-9223372036854775808', INT64_MIN],
    ['9223372036854775807000e-3', INT64_MAX],
  ])('reads %s', (text, value) => {
    expect(int64FromJsonNumber(text)).toBe(value);
  });

  it.each([
    '1.5',
    '1e-1',
    '0.1',
    '15e-2',
    '9223372036854775808',
    '-9223372036854775809',
    '1e19',
    '1e400',
    '1e999999999999',
    '1e-999999999999',
  ])('rejects %s', (text) => {
    expect(int64FromJsonNumber(text)).toBeUndefined();
  });

  it('handles numbers with 16,000 digits', () => {
    expect(int64FromJsonNumber(`1${'0'.repeat(16_000)}e-16000`)).toBe(1n);
    expect(int64FromJsonNumber(`${'0'.repeat(15_999)}1`)).toBe(1n);
    expect(int64FromJsonNumber(`${'0'.repeat(8_000)}1${'0'.repeat(8_000)}`)).toBeUndefined();
  });
});

describe('isInt64', () => {
  it('accepts bigints in range only', () => {
    expect([INT64_MIN, 0n, INT64_MAX].map(isInt64)).toEqual([true, true, true]);
    expect([INT64_MIN - 1n, INT64_MAX + 1n, 1, '1', null, undefined].map(isInt64)).not.toContain(true);
  });
});
