import { comment } from './comments.mjs';
import { fail } from './fail.mjs';
import { nameOf } from './schemas.mjs';

/** Keywords that say which TypeScript type a schema has, in groups that exclude each other. */
const GROUPS = [
  ['$ref'],
  ['allOf'],
  ['anyOf'],
  ['oneOf'],
  ['type', 'format', 'enum', 'const', 'items', 'properties', 'required', 'additionalProperties'],
];

/** Keywords that describe or narrow a type. Any other keyword might change it, and ends the generation. */
const NEUTRAL = new Set(
  (
    'title description example examples default deprecated discriminator minimum maximum exclusiveMinimum ' +
    'exclusiveMaximum multipleOf minLength maxLength pattern minItems maxItems uniqueItems minProperties maxProperties'
  ).split(' '),
);

/**
 * The formats that keep the plain type. A date-time stays a string: what the service answers can be sent back
 * unchanged, and `new Date(…)` is one call for those who calculate with it.
 */
const NUMBERS = { integer: [undefined, 'int32', 'int64'], number: [undefined, 'float', 'double'] };

const EXACT_DIGITS = 15;

export function namedType({ name, schema, place }) {
  if (!/^[A-Z]\w*$/.test(name)) fail(place, `"${name}" is no name of a type.`, 'Rename the schema.');
  const about = comment([schema.description]);
  const type = typeOf(schema, place);
  return schema.type === 'object' && schema.properties
    ? `${about}export interface ${name} ${type}`
    : `${about}export type ${name} = ${type};`;
}

export function typeOf(schema, place) {
  refuseUnknown(schema, place);
  if (schema.$ref) return typeName(schema, place);
  if (schema.allOf) return joined(schema.allOf, ' & ', place);
  if (schema.anyOf ?? schema.oneOf) return joined(schema.anyOf ?? schema.oneOf, ' | ', place);
  const values = 'const' in schema ? [schema.const] : schema.enum;
  if (values) return values.map((value) => literal(value, schema, place)).join(' | ');
  if (Array.isArray(schema.type)) {
    return joined(
      schema.type.map((type) => ({ ...schema, type })),
      ' | ',
      place,
    );
  }
  return plainType(schema, place);
}

/** A member of an interface, with its doc comment. */
export function member(name, { required, schema, description = schema.description, deprecated }, place) {
  const about = comment([
    description,
    'default' in schema && `@defaultValue ${JSON.stringify(schema.default)}`,
    (deprecated ?? schema.deprecated) && '@deprecated',
  ]);
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  return `${about}readonly ${key}${required ? '' : '?'}: ${typeOf(schema, `${place}.${name}`)};`;
}

export const isInt64 = ({ type, format }) => [type].flat().includes('integer') && format === 'int64';

function typeName(schema, place) {
  const named = schema.$ref === `#/components/schemas/${nameOf(schema)}`;
  return named
    ? nameOf(schema)
    : fail(place, `"${schema.$ref}" is no named schema.`, 'Move it to the schemas.');
}

function plainType(schema, place) {
  switch (schema.type) {
    case 'string':
      return schema.format === 'binary' ? fail(place, 'binary data has no TypeScript type yet.') : 'string';
    case 'integer':
    case 'number':
      return numberType(schema, place);
    case 'boolean':
    case 'null':
      return schema.type;
    case 'array':
      if (!schema.items) return fail(place, 'the array does not describe its items.', 'Add "items".');
      return `readonly ${grouped(typeOf(schema.items, `${place}[]`))}[]`;
    case 'object':
      return objectType(schema, place);
    default:
      return fail(place, `the schema has no TypeScript type yet: ${JSON.stringify(schema)}.`);
  }
}

function numberType(schema, place) {
  if (!NUMBERS[schema.type].includes(schema.format)) {
    const advice = 'Describe it as a string of digits, which keeps it exact.';
    fail(place, `a ${schema.type} of the format "${schema.format}" may not fit a TypeScript number.`, advice);
  }
  if (schema.type === 'number' && 'multipleOf' in schema) requireExact(schema, place);
  return isInt64(schema) ? 'bigint' : 'number';
}

/** Numbers keep every decimal of 15 digits. The bounds and the last decimal place say how many there can be. */
function requireExact({ minimum = -Infinity, maximum = Infinity, multipleOf }, place) {
  const most = Math.max(Math.abs(minimum), Math.abs(maximum)) / multipleOf;
  if (most >= 10 ** EXACT_DIGITS) {
    const advice = 'Narrow the bounds, or describe it as a string of digits.';
    fail(place, `the decimal may have more than the ${EXACT_DIGITS} digits of a TypeScript number.`, advice);
  }
}

function objectType({ properties, required = [], additionalProperties: others }, place) {
  if (properties && typeof others === 'object') {
    fail(place, 'the object has both properties and typed other members.', 'Put the others into a member.');
  }
  if (!properties && !others) {
    const advice = 'Add "properties", or "additionalProperties" with the type of all values.';
    fail(place, 'the object does not describe its members.', advice);
  }
  if (!properties) {
    const type = typeof others === 'object' ? typeOf(others, `${place}.*`) : 'unknown';
    return `{ readonly [name: string]: ${type} }`;
  }
  const absent = required.find((name) => !(name in properties));
  if (absent) fail(place, `the member "${absent}" is required and not described.`, 'Describe it.');
  const members = Object.entries(properties).map(([name, schema]) =>
    member(name, { schema, required: required.includes(name) }, place),
  );
  return `{\n${members.join('\n')}\n}`;
}

function literal(value, schema, place) {
  if (typeof value === 'object' && value !== null) fail(place, 'a constant is no plain value.');
  if (typeof value !== 'number' || !isInt64(schema)) return JSON.stringify(value);
  return Number.isSafeInteger(value) ? `${value}n` : fail(place, 'a constant has too many digits.');
}

const joined = (schemas, operator, place) =>
  [...new Set(schemas.map((schema) => grouped(typeOf(schema, place))))].join(operator);

/** Types of several words need parentheses as parts of others; Prettier removes those that are not needed. */
const grouped = (type) => (/^\w+$/.test(type) ? type : `(${type})`);

function refuseUnknown(schema, place) {
  const keywords = Object.keys(schema).filter(
    (keyword) => !keyword.startsWith('x-') && !NEUTRAL.has(keyword),
  );
  const unknown = keywords.find((keyword) => !GROUPS.flat().includes(keyword));
  if (unknown === 'nullable') {
    fail(
      place,
      '"nullable" means nothing in OpenAPI 3.1.',
      'Write "type": ["…", "null"], or anyOf with null.',
    );
  }
  if (unknown) fail(place, `the keyword "${unknown}" has no TypeScript type yet.`);
  const used = GROUPS.filter((group) => group.some((keyword) => keywords.includes(keyword)));
  if (used.length > 1) {
    fail(
      place,
      `"${used[0][0]}" stands beside "${used[1].find((keyword) => keywords.includes(keyword))}".`,
      'Combine them with allOf.',
    );
  }
}
