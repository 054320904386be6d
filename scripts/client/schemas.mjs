import { fail } from './fail.mjs';

/** The object that a reference names, or the object itself. */
export function resolve(document, object, place) {
  if (!object.$ref) return object;
  const found = object.$ref
    .replace(/^#\//, '')
    .split('/')
    .reduce((within, name) => within?.[name], document);
  return found
    ? resolve(document, found, place)
    : fail(place, `the document has no "${object.$ref}".`, 'Correct the reference.');
}

export const nameOf = ({ $ref }) => $ref.split('/').at(-1);

/** The named schemas that a schema refers to, directly or indirectly, each with the place that needed it first. */
export function reachableSchemas(document, schema, place, found = new Map()) {
  const name = schema.$ref && nameOf(schema);
  if (name && !found.has(name)) {
    const named = {
      name,
      schema: resolve(document, schema, place),
      place: `${place.split(':')[0]}: ${name}`,
    };
    found.set(name, named);
    reachableSchemas(document, named.schema, named.place, found);
  }
  for (const part of partsOf(schema)) reachableSchemas(document, part, place, found);
  return found;
}

/** Compares by code units, independently of the locale. */
export const inOrder = (a, b) => (a < b ? -1 : 1);

function partsOf({ items, properties = {}, additionalProperties, allOf = [], anyOf = [], oneOf = [] }) {
  const parts = [items, additionalProperties, ...allOf, ...anyOf, ...oneOf, ...Object.values(properties)];
  return parts.filter((part) => typeof part === 'object');
}
