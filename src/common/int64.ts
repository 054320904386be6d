// 64-bit integers, exact over their whole range: a `bigint` in code, plain digits in JSON and URLs.

export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

export function isInt64(value: unknown): value is bigint {
  return typeof value === 'bigint' && value >= INT64_MIN && value <= INT64_MAX;
}

/** Of a path or a query: decimal digits without leading zeros or a plus sign. */
export function int64FromText(text: string): bigint | undefined {
  if (!/^(?:0|-?[1-9]\d{0,18})$/.test(text)) return undefined;
  const value = BigInt(text);
  return isInt64(value) ? value : undefined;
}

/** Of JSON, where 1.0 and 1e3 are integers. Undefined for others, and for values out of range. */
export function int64FromJson(text: string): bigint | undefined {
  const [, sign, whole, fraction = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const digits = (whole + fraction).replace(/^0+/, '');
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end--;
  if (end === 0) return 0n;
  const zeros = Number(power) - fraction.length + digits.length - end;
  // Checked before the value is built: 1e999999999 would need a gigabyte of zeros.
  if (zeros < 0 || end + zeros > 19) return undefined;
  const value = BigInt(sign + digits.slice(0, end) + '0'.repeat(zeros));
  return isInt64(value) ? value : undefined;
}
