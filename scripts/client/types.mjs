import { comment } from './comments.mjs';

/** The named schemas that these schemas reference, directly or indirectly. */
export function reachableSchemas(document, schemas, found = new Map()) {
  for (const schema of schemas.filter(Boolean)) {
    const name = schema.$ref?.split('/').at(-1);
    if (name === undefined) {
      reachableSchemas(document, partsOf(schema), found);
    } else if (!found.has(name)) {
      found.set(name, document.components.schemas[name]);
      reachableSchemas(document, [found.get(name)], found);
    }
  }
  return new Map([...found].toSorted(([a], [b]) => inOrder(a, b)));
}

export function namedType(name, schema) {
  const about = comment([schema.description]);
  if (schema.type !== 'object') return `${about}export type ${name} = ${typeOf(schema)};`;
  const members = Object.entries(schema.properties).map(
    ([member, of]) =>
      `${comment([of.description])}readonly ${member}${schema.required?.includes(member) ? '' : '?'}: ${typeOf(of)};`,
  );
  return `${about}export interface ${name} {\n${members.join('\n')}\n}`;
}

export function typeOf(schema) {
  if (schema.$ref) return schema.$ref.split('/').at(-1);
  if (schema.allOf?.length === 1) return typeOf(schema.allOf[0]);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.type === 'array') return `readonly ${typeOf(schema.items)}[]`;
  if (isInt64(schema)) return 'bigint';
  const plain = { string: 'string', integer: 'number', number: 'number', boolean: 'boolean' }[schema.type];
  if (plain) return plain;
  throw new Error(
    `This schema has no TypeScript type yet. Add one to scripts/client/types.mjs: ${JSON.stringify(schema)}`,
  );
}

/** The client recognises 64-bit integers by member name, so each name must have the same type everywhere. */
export function int64Members(schemas) {
  const nameless = [...schemas].find(([, schema]) => schema.type === 'array' && isExact(schema, schemas));
  if (nameless)
    throw new Error(
      `The 64-bit integers of "${nameless[0]}" have no member name, which the client needs to recognise them.`,
    );
  const members = [...schemas.values()].flatMap((schema) => Object.entries(schema.properties ?? {}));
  const exact = new Set(members.filter(([, schema]) => isExact(schema, schemas)).map(([name]) => name));
  const other = members.find(([name, schema]) => exact.has(name) && !isExact(schema, schemas));
  if (other)
    throw new Error(
      `The member "${other[0]}" is a 64-bit integer in one schema and not in another. Rename one of them.`,
    );
  return [...exact].toSorted(inOrder);
}

/** Compares by code units, independently of the locale. */
export const inOrder = (a, b) => (a < b ? -1 : 1);

const isInt64 = ({ type, format }) => type === 'integer' && format === 'int64';

/** Whether a schema is a 64-bit integer or an array of them, possibly by reference. */
function isExact(schema, schemas) {
  if (schema.$ref) return isExact(schemas.get(schema.$ref.split('/').at(-1)), schemas);
  if (schema.allOf?.length === 1) return isExact(schema.allOf[0], schemas);
  return schema.type === 'array' ? isExact(schema.items, schemas) : isInt64(schema);
}

function partsOf(schema) {
  return [schema.items, ...(schema.allOf ?? []), ...Object.values(schema.properties ?? {})].filter(Boolean);
}
