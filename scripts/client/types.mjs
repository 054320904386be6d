import { comment } from './comments.mjs';

/** The named schemas that these ones need, with those that they need in turn. */
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
    `This schema has no TypeScript type yet; teach it to scripts/client: ${JSON.stringify(schema)}`,
  );
}

/** Integers are told apart by the names of their members, so a name must mean the same everywhere. */
export function int64Members(schemas) {
  const nameless = [...schemas].find(([, schema]) => schema.type === 'array' && isExact(schema, schemas));
  if (nameless) throw new Error(`The integers of "${nameless[0]}" have no member's name to be told by.`);
  const members = [...schemas.values()].flatMap((schema) => Object.entries(schema.properties ?? {}));
  const exact = new Set(members.filter(([, schema]) => isExact(schema, schemas)).map(([name]) => name));
  const other = members.find(([name, schema]) => exact.has(name) && !isExact(schema, schemas));
  if (other)
    throw new Error(`The member "${other[0]}" is a 64-bit integer in one schema and not in another.`);
  return [...exact].toSorted(inOrder);
}

/** The order of code units: no language of any machine changes it. */
export const inOrder = (a, b) => (a < b ? -1 : 1);

const isInt64 = ({ type, format }) => type === 'integer' && format === 'int64';

/** An integer of 64 bits or an array of them, perhaps under a name of its own. */
function isExact(schema, schemas) {
  if (schema.$ref) return isExact(schemas.get(schema.$ref.split('/').at(-1)), schemas);
  if (schema.allOf?.length === 1) return isExact(schema.allOf[0], schemas);
  return schema.type === 'array' ? isExact(schema.items, schemas) : isInt64(schema);
}

function partsOf(schema) {
  return [schema.items, ...(schema.allOf ?? []), ...Object.values(schema.properties ?? {})].filter(Boolean);
}
