import { isLosslessNumber, parse, stringify } from 'lossless-json';

/**
 * Where JSON has 64-bit integers: `int64` is one, `[shape]` an array, `{ id: shape }` an object, `{ '*': shape }` an object
 * with any members, and another string the name of a shape.
 */
export type Shape = string | readonly [Shape] | { readonly [member: string]: Shape };
export type Shapes = Readonly<Record<string, Shape>>;

/** Parses JSON. Its 64-bit integers become bigints, to keep every digit. */
export function parseExactly(text: string, shape?: Shape, shapes: Shapes = {}): unknown {
  const exact = (value: unknown, shape: Shape | undefined): unknown => {
    if (typeof shape === 'string' && shape !== 'int64') return exact(value, shapes[shape]);
    if (isLosslessNumber(value)) return shape === 'int64' ? BigInt(value.value) : Number(value.value);
    if (Array.isArray(value)) return value.map((item) => exact(item, within(shape, '0')));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, exact(inner, within(shape, name))]),
    );
  };
  return exact(parse(text), shape);
}

/** Serialises JSON with bigints as plain digits. */
export function stringifyExactly(value: unknown): string {
  return stringify(value) ?? '';
}

function within(shape: Shape | undefined, member: string): Shape | undefined {
  if (typeof shape !== 'object') return undefined;
  const members = shape as Readonly<Record<string, Shape>>;
  return Object.hasOwn(members, member) ? members[member] : members['*'];
}
