import { comment, deprecation } from './comments.mjs';
import { describeOperations, lowerFirst, upperFirst } from './describe.mjs';
import { int64Shapes } from './int64.mjs';
import { refuseTakenNames } from './names.mjs';
import { inOrder, reachableSchemas, resolve } from './schemas.mjs';
import { member, namedType, typeOf } from './types.mjs';

const IMPORTS = `// Made from openapi.json by \`npm run client\`; not to be edited.
import { type Transport, pathOf } from './call.js';
import type { Shapes } from './exact-json.js';
import { pages } from './pages.js';
import type { CallOptions } from './settings.js';`;

/**
 * Generates the types and operations of a document as unformatted TypeScript. Every operation is a method of one class,
 * named by its id, which is unique in a document; tags only arrange pages.
 */
export function clientOperations(document) {
  const operations = describeOperations(document);
  const schemas = new Map();
  for (const { input, output, query, inPath, headers, id } of operations) {
    for (const { schema, place = id } of [input, output, ...inPath, ...query, ...headers].filter(Boolean)) {
      reachableSchemas(document, schema, place, schemas);
    }
  }
  const named = [...schemas.values()].toSorted((a, b) => inOrder(a.name, b.name));
  const int64 = int64Shapes(
    document,
    operations.flatMap(({ output }) => output ?? []),
  );
  const iterated = operations.map((operation) => iterable(document, operation)).filter(Boolean);
  refuseTakenNames(operations, iterated, named);
  return [
    IMPORTS,
    ...named.map(namedType),
    ...operations.filter(({ query }) => query.length > 0).map(queryType),
    ...operations.filter(({ headers }) => headers.length > 0).map(optionsType),
    errorCodes(document, operations),
    `/** Where answers have 64-bit integers. */\nexport const INT64: Shapes = ${JSON.stringify(int64.ofSchemas)};`,
    comment([document.info.description]) + 'export class Operations {',
    'constructor(private readonly transport: Transport) {}',
    ...operations.flatMap((operation) => [
      ...iterated.filter((each) => each.operation === operation).map((each) => iterator(each, int64)),
      method(operation, operations, int64),
    ]),
    '}',
  ].join('\n\n');
}

function queryType({ id, queryName, query }) {
  const members = query.map((parameter) => member(parameter.name, parameter, `${id}: query`));
  return `/** Query parameters of \`${id}\`. */\nexport interface ${queryName} {\n${members.join('\n')}\n}`;
}

/** Headers are options, so that an operation can gain one without a change to its callers. */
function optionsType({ id, optionsName, headers }) {
  const members = headers.map((parameter) => member(parameter.variable, parameter, `${id}: header`));
  return `/** Options of \`${id}\`. */\nexport interface ${optionsName} extends CallOptions {\n${members.join('\n')}\n}`;
}

/** All error codes that the operations document. */
function errorCodes(document, operations) {
  const codes = operations.flatMap(({ id, operation }) =>
    Object.values(operation.responses).flatMap((response) => {
      const examples = resolve(document, response, id).content?.['application/json']?.examples ?? {};
      return Object.keys(examples).filter((code) => examples[code].value?.code === code);
    }),
  );
  const union = [...new Set(codes)].toSorted(inOrder).map((code) => JSON.stringify(code));
  return `/** The error codes documented in this version of the API. */\nexport type ErrorCode = ${union.join(' | ') || 'never'};`;
}

function method(described, operations, int64) {
  const { id, operation, output, type } = described;
  const stage = ['experimental', 'beta'].find((each) => each === operation['x-stability']);
  const about = [operation.summary, ...deprecation(operation, operations), stage && `@${stage}`];
  const sent = `await this.transport.send<${type}>(${call(described, int64)}, options)`;
  return (
    `${comment(about)}async ${id}(${signature(described)}): Promise<${type}> {\n` +
    `${output ? `return (${sent}).body` : sent};\n}`
  );
}

/** A list that takes `after` can be iterated over: `listPets` by `pets`. */
function iterable(document, operation) {
  const { id, output, query, mayBeEmpty } = operation;
  if (!output || mayBeEmpty || !query.some(({ name }) => name === 'after')) return undefined;
  const list = resolve(document, output.schema, output.place);
  if (list.type !== 'array') return undefined;
  const name = /^list[A-Z]/.test(id) ? lowerFirst(id.slice('list'.length)) : `all${upperFirst(id)}`;
  return { name, operation, item: typeOf(list.items, output.place) };
}

function iterator({ name, operation, item }, int64) {
  return (
    `/** Iterates over all items of \`${operation.id}\`, fetching page by page: \`for await (const … of …)\`. */\n` +
    `${name}(${signature(operation)}): AsyncGenerator<${item}, void, undefined> {\n` +
    `return pages<${item}>(this.transport, ${call(operation, int64)}, options);\n}`
  );
}

function signature({ inPath, input, inputRequired, query, queryName, headers, optionsName }) {
  const needsQuery = query.some(({ required }) => required);
  const needsOptions = headers.some(({ required }) => required);
  const mayEnd = !needsQuery && !needsOptions;
  return [
    ...inPath.map(({ variable, type }) => `${variable}: ${type}`),
    ...(input ? [argument(input, inputRequired, mayEnd)] : []),
    ...(query.length > 0 ? [`query: ${queryName}${needsQuery ? '' : ' = {}'}`] : []),
    `options${needsOptions ? '' : '?'}: ${optionsName}`,
  ].join(', ');
}

function argument({ variable, type }, required, mayEnd) {
  if (required) return `${variable}: ${type}`;
  return mayEnd ? `${variable}?: ${type}` : `${variable}: ${type} | undefined`;
}

function call({ id, method, path, inPath, input, contentType, query, headers, output, mayBeEmpty }, int64) {
  const filled = inPath.reduce(
    (text, { name, variable }) => text.replace(`{${name}}`, `\${${variable}}`),
    path,
  );
  const commaSeparated = query.filter((parameter) => parameter.commaSeparated).map(({ name }) => name);
  const sent = [
    ...(contentType && contentType !== 'application/json'
      ? [`'content-type': ${JSON.stringify(contentType)}`]
      : []),
    ...headers.map(({ name, variable }) => `${JSON.stringify(name)}: options?.${variable}`),
  ];
  const shape = output && int64.of(output);
  const parts = [
    `operation: '${id}'`,
    `method: '${method}'`,
    `path: ${inPath.length > 0 ? `pathOf\`${filled}\`` : JSON.stringify(path)}`,
    ...(input ? [`body: ${input.variable}`] : []),
    ...(query.length > 0 ? ['query'] : []),
    ...(commaSeparated.length > 0 ? [`commaSeparated: ${JSON.stringify(commaSeparated)}`] : []),
    ...(sent.length > 0 ? [`headers: { ${sent.join(', ')} }`] : []),
    ...(shape ? [`int64: ${JSON.stringify(shape)}`] : []),
    ...(mayBeEmpty ? ['mayBeEmpty: true'] : []),
  ];
  return `{ ${parts.join(', ')} }`;
}
