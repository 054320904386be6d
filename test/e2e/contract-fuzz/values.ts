import fc from 'fast-check';
import { stringify } from 'lossless-json';
import { decimals, decimalSpellings } from './decimals.js';
import type { Schema } from './document.js';
import { FORMATS } from './formats.js';

/** A value independent of its spelling. */
export type Meaning =
  string | bigint | number | boolean | null | readonly Meaning[] | { readonly [name: string]: Meaning };

/** The number of items that a test begins with; their ids begin with 1. */
export const SEEDED = 12;

/** All values that a schema allows, with a bias towards the edges. */
export function allowed(schema: Schema): fc.Arbitrary<Meaning> {
  if (schema.nullable) {
    const { nullable: _, ...rest } = schema;
    return fc.oneof({ arbitrary: allowed(rest), weight: 4 }, { arbitrary: fc.constant(null), weight: 1 });
  }
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.refersTo && schema.type === 'integer')
    return fc.oneof(fc.bigInt(1n, BigInt(SEEDED)), integers(schema));
  if (schema.type === 'integer') return integers(schema);
  if (schema.type === 'number') return decimals(schema);
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'string') return texts(schema);
  if (schema.type === 'array') return lists(schema);
  if (schema.type === 'object') return objects(schema);
  throw new Error(`Add a generator for the type ${JSON.stringify(schema.type)} to values.ts`);
}

const EXACT = 2n ** 53n; // JavaScript numbers are exact up to here

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

function lists({ items = {}, minItems = 0n, maxItems = 5n, uniqueItems }: Schema): fc.Arbitrary<Meaning[]> {
  const bounds = { minLength: Number(minItems), maxLength: Math.min(Number(maxItems), Number(minItems) + 5) };
  return uniqueItems ? fc.uniqueArray(allowed(items), bounds) : fc.array(allowed(items), bounds);
}

/** Lists that are too short or too long, or contain a value twice. */
export function wrongLists({
  items = {},
  minItems = 0n,
  maxItems = 0n,
  uniqueItems,
}: Schema): fc.Arbitrary<Meaning[]> {
  const of = (length: bigint): fc.Arbitrary<Meaning[]> =>
    fc.array(allowed(items), { minLength: Number(length), maxLength: Number(length) });
  const twice = allowed(items).map((item) => [item, item]);
  const short = minItems > 0n ? [of(minItems - 1n)] : [];
  return fc.oneof(of(maxItems + 1n), ...short, ...(uniqueItems ? [twice] : []));
}

function objects({ properties = {}, required = [] }: Schema): fc.Arbitrary<Meaning> {
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, allowed(schema)]),
  );
  return fc.record(members, { requiredKeys: [...required] }) as fc.Arbitrary<Meaning>;
}

function texts(schema: Schema): fc.Arbitrary<string> {
  const { format, pattern } = schema;
  if (format !== undefined) {
    const known = FORMATS[format];
    if (!known) throw new Error(`Add a generator for the format "${format}" to formats.ts`);
    return known.valid.filter((text) => matches(schema, text));
  }
  if (pattern !== undefined && isNarrow(pattern)) {
    return fc.stringMatching(new RegExp(pattern, 'u')).filter((text) => matches(schema, text));
  }
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

/** Whether random texts rarely match. */
function isNarrow(pattern: string): boolean {
  return !new RegExp(pattern, 'u').test('Bälle & 🐕');
}

/** Plain ASCII, and characters that software often handles wrongly. */
const UNITS = [
  fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }),
  fc.constantFrom(...'"\\/\'%&<>{}\u00a0\u00ad\u0301\u200b\u2028\u202e\ufeff\ufffd\uffff🐕é ß'),
];

export function lengths({ minLength, maxLength }: Schema): { min: number; max: number } {
  if (maxLength === undefined) throw new Error('A text without a maximum length');
  return { min: Number(minLength ?? 0n), max: Number(maxLength) };
}

/** Follows JSON Schema: lengths count code points, and patterns use Unicode mode. */
export function matches(schema: Schema, text: string): boolean {
  const { minLength = 0n, maxLength = Infinity } = schema;
  const length = [...text].length;
  return length >= minLength && length <= maxLength && new RegExp(schema.pattern ?? '', 'u').test(text);
}

/** One of the JSON spellings of a value. */
export function asJson(meaning: Meaning): fc.Arbitrary<string> {
  if (typeof meaning === 'object' || typeof meaning === 'boolean') return fc.constant(plainJson(meaning));
  if (typeof meaning === 'number') return fc.constantFrom(...decimalSpellings(meaning));
  return typeof meaning === 'string'
    ? fc.constantFrom(
        JSON.stringify(meaning),
        escaped(meaning),
        JSON.stringify(meaning).replaceAll('/', '\\/'),
      )
    : fc.constantFrom(...spellings(meaning));
}

function plainJson(meaning: Meaning): string {
  return stringify(meaning) as string;
}

function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
}

/** JSON integers may be written with a decimal point or an exponent. */
function spellings(value: bigint): string[] {
  const [, sign, first, rest = '', zeros = ''] = /^(-?)(\d)(\d*?)(0*)$/.exec(String(value)) ?? [];
  const scientific = `${sign}${first}${rest && `.${rest}`}e+${rest.length + zeros.length}`;
  const more = value === 0n ? ['-0', '0E99', '0.00e-5'] : [`${value}00E-2`, `${value}.000e0`];
  return [`${value}`, `${value}.0`, scientific, ...more];
}

/** A percent-encoded value, sometimes with characters encoded needlessly. */
export function asParameter(meaning: Meaning): fc.Arbitrary<string> {
  const text = Array.isArray(meaning)
    ? meaning.join(',')
    : (meaning as string | bigint | number | boolean).toString();
  const needless = Buffer.from(text).toString('hex').toUpperCase().replace(/../g, '%$&');
  return fc.oneof(
    { withCrossShrink: true },
    { arbitrary: fc.constant(encodeURIComponent(text)), weight: 4 },
    { arbitrary: fc.constant(needless), weight: 1 },
  );
}
