import { isDeepStrictEqual } from 'node:util';
import { fail } from './fail.mjs';
import { inOrder, nameOf, reachableSchemas } from './schemas.mjs';
import { isInt64 } from './types.mjs';

/** Alternatives that contain themselves would be merged without end. */
const LONGEST_PLACE = 1000;

/**
 * Finds the 64-bit integers of answers, for clients/typescript/src/exact-json.ts, which describes the shapes. By place and
 * not by name, so that an `id` may be something else elsewhere, and keys of maps are free.
 */
export function int64Shapes(document, answers) {
  const all = new Map();
  for (const { schema, place } of answers) {
    for (const [name, named] of reachableSchemas(document, schema, place)) {
      all.set(name, shapeOf(document, named.schema, named.place));
    }
  }
  const named = [...all].toSorted(([a], [b]) => inOrder(a, b));
  const kept = named.map(([name, shape]) => [name, pruned(shape, all)]).filter(([, shape]) => shape);
  return {
    ofSchemas: Object.fromEntries(kept),
    of: ({ schema, place }) => pruned(shapeOf(document, schema, place), all),
  };
}

/** The shape of all numbers in a schema; `pruned` keeps the 64-bit integers. */
function shapeOf(document, schema, place) {
  if (schema.$ref) return nameOf(schema);
  const parts = schema.allOf ?? schema.anyOf ?? schema.oneOf;
  const shapes = parts
    ? parts.map((part) => shapeOf(document, part, place))
    : [schema.type].flat().map((type) => shapeOfType(document, { ...schema, type }, place));
  return shapes.reduce((a, b) => merged(document, a, b, place));
}

function shapeOfType(document, schema, place) {
  const { type, items, properties, additionalProperties } = schema;
  if (type === 'integer' || type === 'number') return isInt64(schema) ? 'int64' : 'number';
  if (type === 'array') return [shapeOf(document, items, `${place}[]`)];
  if (type !== 'object') return undefined;
  const members = Object.entries(properties ?? { '*': additionalProperties });
  if (properties && '*' in properties) fail(place, 'a member cannot be called "*".', 'Rename it.');
  return Object.fromEntries(
    members.map(([name, part]) => [
      name,
      typeof part === 'object' ? shapeOf(document, part, `${place}.${name}`) : undefined,
    ]),
  );
}

/** The shape of what is one or the other, or both at once. */
function merged(document, a, b, place) {
  if (a === undefined || b === undefined || isDeepStrictEqual(a, b)) return a ?? b;
  if (place.length > LONGEST_PLACE) fail(`${place.slice(0, 80)}…`, 'the alternatives contain themselves.');
  const [one, other] = [a, b].map((shape) => {
    const schema = typeof shape === 'string' && document.components?.schemas?.[shape];
    return schema ? shapeOf(document, schema, place) : shape;
  });
  if (one !== a || other !== b) return merged(document, one, other, place);
  if (Array.isArray(a) && Array.isArray(b)) return [merged(document, a[0], b[0], `${place}[]`)];
  if (isObject(a) && isObject(b) && '*' in a === '*' in b) {
    const names = Object.keys({ ...a, ...b });
    return Object.fromEntries(
      names.map((name) => [name, merged(document, a[name], b[name], `${place}.${name}`)]),
    );
  }
  return fail(
    place,
    'a number is a 64-bit integer in one alternative and something else in another.',
    'Give the member the same type in both, or another name.',
  );
}

const isObject = (shape) => typeof shape === 'object' && !Array.isArray(shape);

/** A shape without what leads to no 64-bit integer; undefined if nothing remains. */
function pruned(shape, all) {
  if (!leadsToInt64(shape, all)) return undefined;
  if (typeof shape === 'string') return shape;
  if (Array.isArray(shape)) return [pruned(shape[0], all)];
  const members = Object.entries(shape).map(([name, part]) => [name, pruned(part, all)]);
  return Object.fromEntries(members.filter(([, part]) => part).toSorted(([a], [b]) => inOrder(a, b)));
}

function leadsToInt64(shape, all, seen = new Set()) {
  if (shape === undefined || shape === 'number' || shape === 'int64' || seen.has(shape))
    return shape === 'int64';
  if (typeof shape === 'string') return leadsToInt64(all.get(shape), all, seen.add(shape));
  return Object.values(shape).some((part) => leadsToInt64(part, all, seen));
}
