// 64-bit integers, exact over their whole range: a `bigint` in code, plain digits in JSON and URLs.

export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

export function isInt64(value: unknown): value is bigint {
  return typeof value === 'bigint' && value >= INT64_MIN && value <= INT64_MAX;
}

/** Parses a path or query value: decimal digits without leading zeros or a plus sign. */
export function int64FromText(text: string): bigint | undefined {
  if (!/^(?:0|-?[1-9]\d{0,18})$/.test(text)) return undefined;
  const value = BigInt(text);
  return isInt64(value) ? value : undefined;
}

/**
 * Parses a JSON number with an integer value, which includes `1.0` and `1e3`. Returns `undefined` for others, such as
 * `1.5`, and for values out of range. With a scale of 2, it returns hundredths: 150 for `1.5`.
 */
export function int64FromJsonNumber(text: string, scale = 0): bigint | undefined {
  const [, sign, whole, fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const digits = withoutOuterZeros(whole + fraction);
  if (digits.text === '') return 0n;
  const exponent = Number(power) - fraction.length + digits.dropped + scale;
  // Checked before the value is built: 1e999999999 would need a gigabyte of zeros.
  if (exponent < 0 || digits.text.length + exponent > 19) return undefined;
  const value = BigInt(sign + digits.text + '0'.repeat(exponent));
  return isInt64(value) ? value : undefined;
}

function withoutOuterZeros(digits: string): { text: string; dropped: number } {
  let start = 0;
  let end = digits.length;
  while (digits[start] === '0') start++;
  while (end > start && digits[end - 1] === '0') end--;
  return { text: digits.slice(start, end), dropped: digits.length - end };
}
