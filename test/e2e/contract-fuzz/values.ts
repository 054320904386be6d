import fc from 'fast-check';
import type { Schema } from './document.js';

/** What a value is, however it is written. */
export type Meaning = string | bigint;

/** Every value that a schema allows. Those at the edges come often. */
export function allowed(schema: Schema): fc.Arbitrary<Meaning> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.type === 'integer') return integers(schema);
  if (schema.type === 'string') return texts(schema);
  throw new Error(`No values are known for ${JSON.stringify(schema.type)}`);
}

const EXACT = 2n ** 53n; // a number of JavaScript is exact up to here

function integers({ minimum, maximum }: Schema): fc.Arbitrary<bigint> {
  if (minimum === undefined || maximum === undefined) throw new Error('An integer without bounds');
  const edges = [minimum, minimum + 1n, maximum - 1n, maximum, 0n, EXACT - 1n, EXACT + 1n, -EXACT - 1n];
  const within = (value: bigint): boolean => value >= minimum && value <= maximum;
  const small = { min: within(-2n) ? -2n : minimum, max: within(40n) ? 40n : maximum };
  return fc.oneof(
    { withCrossShrink: true },
    fc.bigInt(small),
    fc.bigInt({ min: minimum, max: maximum }),
    fc.constantFrom(...edges.filter(within)),
  );
}

function texts(schema: Schema): fc.Arbitrary<string> {
  const { min, max } = lengths(schema);
  const units = [fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), ...UNITS];
  const unit = fc.oneof(...units);
  const of = (minLength: number, maxLength: number, size: '=' | 'max' = '='): fc.Arbitrary<string> =>
    fc.string({ unit, minLength, maxLength, size });
  const astral = fc.string({ unit: fc.constantFrom('🐕', '\u{10ffff}'), minLength: max, maxLength: max });
  return fc
    .oneof({ withCrossShrink: true }, of(min, max), of(min, min), of(max, max), of(min, max, 'max'), astral)
    .filter((text) => matches(schema, text));
}

/** Single code points: plain ones, and those that software gets wrong. */
const UNITS = [
  fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }),
  fc.constantFrom(...'"\\/\'%&<>{}\u00a0\u00ad\u0301\u200b\u2028\u202e\ufeff\ufffd\uffff🐕é ß'),
];

export function lengths({ minLength, maxLength }: Schema): { min: number; max: number } {
  if (maxLength === undefined) throw new Error('A text without a maximum length');
  return { min: Number(minLength ?? 0n), max: Number(maxLength) };
}

/** As JSON Schema has it: lengths are counted in code points, and patterns are those of Unicode. */
export function matches(schema: Schema, text: string): boolean {
  const { min, max } = lengths(schema);
  const length = [...text].length;
  return length >= min && length <= max && new RegExp(schema.pattern ?? '', 'u').test(text);
}

/** A value in one of the ways in which JSON can write it. */
export function asJson(meaning: Meaning): fc.Arbitrary<string> {
  return typeof meaning === 'string'
    ? fc.constantFrom(
        JSON.stringify(meaning),
        escaped(meaning),
        JSON.stringify(meaning).replaceAll('/', '\\/'),
      )
    : fc.constantFrom(...spellings(meaning));
}

function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
}

/** JSON has one kind of number, so a whole number may have a point or an exponent. */
function spellings(value: bigint): string[] {
  const [, sign, first, rest = '', zeros = ''] = /^(-?)(\d)(\d*?)(0*)$/.exec(String(value)) ?? [];
  const scientific = `${sign}${first}${rest && `.${rest}`}e+${rest.length + zeros.length}`;
  const more = value === 0n ? ['-0', '0E99', '0.00e-5'] : [`${value}00E-2`, `${value}.000e0`];
  return [`${value}`, `${value}.0`, scientific, ...more];
}

/** A value as it stands in a path or a query, perhaps with characters encoded that need not be. */
export function asParameter(meaning: Meaning): fc.Arbitrary<string> {
  const needless = Buffer.from(String(meaning)).toString('hex').toUpperCase().replace(/../g, '%$&');
  return fc.oneof(
    { withCrossShrink: true },
    { arbitrary: fc.constant(encodeURIComponent(String(meaning))), weight: 4 },
    { arbitrary: fc.constant(needless), weight: 1 },
  );
}
