import fc from 'fast-check';
import type { Schema } from './document.js';

/** Decimals have at most 15 digits, all of which a number keeps. */
export function decimals(schema: Schema): fc.Arbitrary<number> {
  const { low, high, scale } = unitsOf(schema);
  const edges = [low, low + 1n, high - 1n, high].filter((units) => units >= low && units <= high);
  return fc
    .oneof({ withCrossShrink: true }, fc.bigInt(low, high), fc.constantFrom(...edges))
    .map((units) => Number(`${units}e-${scale}`));
}

/** JSON numbers that are out of bounds, or have too many decimal places. */
export function noDecimals(schema: Schema): fc.Arbitrary<string> {
  const { low, high, scale } = unitsOf(schema);
  const beyond = fc.oneof(fc.constant(1n), fc.bigInt(1n, 10n ** 40n));
  return fc.oneof(
    beyond.map((by) => `${high + by}e-${scale}`),
    beyond.map((by) => `${low - by}e-${scale}`),
    fc.tuple(fc.bigInt(low, high), fc.integer({ min: 1, max: 9 })).map(([units, digit]) => {
      const place = BigInt(units < 0n ? -digit : digit);
      return `${units * 10n + place}e-${scale + 1}`;
    }),
    fc.constantFrom('1e400', '-1e400', '1e999999999', '1e-999999999'),
  );
}

/** The same number in other words: with zeros, or an exponent. */
export function decimalSpellings(value: number): string[] {
  const plain = String(value);
  return [plain, plain.includes('.') ? `${plain}0` : `${plain}.00`, `${plain}e0`, `${plain}E+00`];
}

/** Whether a parameter has a value that the schema allows, in plain digits. */
export function isDecimal(schema: Schema, text: string): boolean {
  const { low, high, scale } = unitsOf(schema);
  const [, whole, fraction = ''] = /^(-?(?:0|[1-9]\d*))(?:\.(\d+))?$/.exec(text) ?? [];
  const places = fraction.replace(/0+$/, '');
  if (whole === undefined || places.length > scale) return false;
  const units = BigInt(whole + places.padEnd(scale, '0'));
  return units >= low && units <= high;
}

function unitsOf({ minimum, maximum, multipleOf = 1 }: Schema): { low: bigint; high: bigint; scale: number } {
  const scale = Math.round(-Math.log10(Number(multipleOf)));
  const units = (bound: unknown): bigint => BigInt(Math.round(Number(bound) * 10 ** scale));
  return { low: units(minimum), high: units(maximum), scale };
}
