/**
 * Where JSON has 64-bit integers: `int64` is one, `[shape]` an array, `{ id: shape }` an object, `{ '*': shape }` an object
 * with any members, and another string the name of a shape.
 */
export type Shape = string | readonly [Shape] | { readonly [member: string]: Shape };
export type Shapes = Readonly<Record<string, Shape>>;

const STRINGS_AND_NUMBERS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/**
 * Parses JSON. Its 64-bit integers become bigints, to keep every digit: JSON.parse reads them as strings, marked to differ
 * from the others, because only newer engines give it the digits.
 */
export function parseExactly(text: string, shape?: Shape, shapes: Shapes = {}): unknown {
  const exact = (value: unknown, shape: Shape | undefined): unknown => {
    if (typeof shape === 'string' && shape !== 'int64') return exact(value, shapes[shape]);
    if (typeof value === 'string') return value[0] === 'n' ? numberOf(value.slice(1), shape) : value.slice(1);
    if (Array.isArray(value)) return value.map((item) => exact(item, within(shape, '0')));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([marked, inner]) => {
        const name = marked.slice(1);
        return [name, exact(inner, within(shape, name))];
      }),
    );
  };
  JSON.parse(text); // Refuses malformed numbers, which the marks would hide.
  return exact(JSON.parse(text.replace(STRINGS_AND_NUMBERS, marked)), shape);
}

/** Serialises JSON with bigints as plain digits. */
export function stringifyExactly(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(stringifyExactly).join(',')}]`;
  if (typeof value !== 'object' || value === null || 'toJSON' in value)
    return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${stringifyExactly(member)}`).join(',')}}`;
}

function marked(token: string): string {
  return token.startsWith('"') ? `"s${token.slice(1)}` : `"n${token}"`;
}

function numberOf(digits: string, shape: Shape | undefined): bigint | number {
  return shape === 'int64' ? BigInt(digits) : Number(digits);
}

function within(shape: Shape | undefined, member: string): Shape | undefined {
  if (typeof shape !== 'object') return undefined;
  const members = shape as Readonly<Record<string, Shape>>;
  return Object.hasOwn(members, member) ? members[member] : members['*'];
}
