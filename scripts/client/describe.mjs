import { fail } from './fail.mjs';
import { nameOf, resolve } from './schemas.mjs';
import { typeOf } from './types.mjs';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const BESIDE_METHODS = ['parameters', 'summary', 'description', 'servers'];

/** OpenAPI ignores the first three, which other parts of a document describe. The client makes the last one itself. */
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization', 'idempotency-key'];
const STYLES = { path: 'simple', header: 'simple', query: 'form' };
const SCALARS = ['string', 'integer', 'number', 'boolean'];

/** Describes the operations of a document the way the generator needs them. */
export function describeOperations(document) {
  return Object.entries(document.paths).flatMap(([path, item]) => {
    const others = Object.keys(item).filter((key) => !METHODS.includes(key) && !key.startsWith('x-'));
    const unknown = others.find((key) => !BESIDE_METHODS.includes(key));
    if (unknown) fail(path, `"${unknown}" is not generated.`);
    return METHODS.filter((method) => item[method]).map((method) => describe(document, path, method, item));
  });
}

function describe(document, path, method, item) {
  const operation = item[method];
  const place = operation.operationId ?? fail(`${method.toUpperCase()} ${path}`, 'the operation has no id.');
  if (!/^[a-z]\w*$/.test(place)) fail(place, 'the id is no name of a method.', 'Write it like "listPets".');
  const parameters = parametersOf(document, item, operation, place);
  const within = (where) => parameters.filter((parameter) => parameter.in === where);
  const { input, contentType, inputRequired } = inputOf(document, operation, place);
  return {
    id: place,
    operation,
    path,
    method: method.toUpperCase(),
    inPath: inOrderOfPath(path, within('path'), place),
    query: within('query'),
    queryName: `${upperFirst(place)}Query`,
    headers: within('header'),
    optionsName: within('header').length > 0 ? `${upperFirst(place)}Options` : 'CallOptions',
    input,
    contentType,
    inputRequired,
    ...outputOf(document, operation, place),
  };
}

/** Parameters of the path item and the operation, which may replace one of the same name. */
function parametersOf(document, item, operation, place) {
  const byName = new Map();
  for (const parameter of [...(item.parameters ?? []), ...(operation.parameters ?? [])]) {
    const resolved = resolve(document, parameter, place);
    byName.set(`${resolved.in} ${resolved.name}`, resolved);
  }
  return [...byName.values()]
    .filter(({ in: where, name }) => where !== 'header' || !IGNORED_HEADERS.includes(name.toLowerCase()))
    .map((parameter) =>
      describeParameter(document, parameter, `${place}: ${parameter.in} "${parameter.name}"`),
    );
}

function describeParameter(document, parameter, place) {
  const { in: where, name, schema, style = STYLES[where] } = parameter;
  if (!STYLES[where]) fail(place, `parameters in "${where}" are not generated.`);
  if (style !== STYLES[where])
    fail(place, `the style "${style}" is not generated.`, `Use "${STYLES[where]}".`);
  const target = underlying(document, schema ?? {}, place);
  const list = target.type === 'array' && where === 'query';
  if (!SCALARS.includes(list ? underlying(document, target.items ?? {}, place).type : target.type)) {
    const advice = 'It can be a string, number or boolean; in the query also a list of these.';
    fail(place, 'the parameter has a type that cannot be sent.', advice);
  }
  const commaSeparated = list && parameter.explode === false;
  return { ...parameter, commaSeparated, variable: camelCase(name), type: typeOf(schema, place) };
}

function underlying(document, schema, place) {
  const target = resolve(document, schema, place);
  return target.allOf?.length === 1 ? underlying(document, target.allOf[0], place) : target;
}

function inOrderOfPath(path, parameters, place) {
  const names = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name);
  const lost = parameters.find(({ name }) => !names.includes(name));
  if (lost) fail(place, `the path has no "{${lost.name}}".`, 'Correct the path or the parameter.');
  return names.map(
    (name) =>
      parameters.find((parameter) => parameter.name === name) ??
      fail(place, `nothing describes "{${name}}" of the path.`, 'Add the parameter.'),
  );
}

/** The first JSON media type of the request's body. */
function inputOf(document, { requestBody }, place) {
  if (!requestBody) return {};
  const { content, required: inputRequired = false } = resolve(document, requestBody, place);
  const [contentType, { schema }] =
    Object.entries(content).find(([type]) => isJson(type)) ??
    fail(`${place}: body`, `no media type is JSON: ${Object.keys(content).join(', ')}.`);
  const input = { schema, place: `${place}: body`, type: typeOf(schema, `${place}: body`) };
  return {
    input: { ...input, variable: schema.$ref ? lowerFirst(nameOf(schema)) : 'body' },
    contentType,
    inputRequired,
  };
}

/** What the operation answers. Without a schema in any success, nothing. */
function outputOf(document, { responses }, place) {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  if (successes.length === 0) fail(place, 'no success is documented.', 'Document one, such as 200 or 204.');
  const schemas = successes.map(([status, response]) => {
    const { content = {} } = resolve(document, response, place);
    const types = Object.entries(content);
    const json = types.find(([type]) => isJson(type))?.[1];
    if (types.length > 0 && !json?.schema)
      fail(`${place}: answer ${status}`, 'the body is not described as JSON.');
    return json?.schema;
  });
  const mayBeEmpty = schemas.includes(undefined);
  const bodies = [
    ...new Map(schemas.filter(Boolean).map((schema) => [JSON.stringify(schema), schema])).values(),
  ];
  if (bodies.length === 0) return { mayBeEmpty, type: 'void' };
  const output = { schema: bodies.length > 1 ? { oneOf: bodies } : bodies[0], place: `${place}: answer` };
  return {
    mayBeEmpty,
    output,
    type: typeOf(output.schema, output.place) + (mayBeEmpty ? ' | undefined' : ''),
  };
}

const isJson = (type) => /^application\/(?:[\w.-]+\+)?json\b/.test(type);
const camelCase = (name) =>
  lowerFirst(name.replaceAll(/[^A-Za-z0-9_$]+(.)?/g, (_, next = '') => next.toUpperCase()));
export const lowerFirst = (name) => `${name[0].toLowerCase()}${name.slice(1)}`;
export const upperFirst = (name) => `${name[0].toUpperCase()}${name.slice(1)}`;
