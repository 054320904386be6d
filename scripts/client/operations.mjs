import { comment, deprecation } from './comments.mjs';
import { inOrder, int64Members, namedType, reachableSchemas, typeOf } from './types.mjs';

const IMPORTS = `// Made from openapi.json by \`npm run client\`; not to be edited.
import type { Transport } from './call.js';
import { pages } from './pages.js';
import type { CallOptions } from './settings.js';`;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Generates the types and operations of a document as unformatted TypeScript. */
export function clientOperations(document) {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => (item[method] ? [describe(document, path, method, item[method])] : [])),
  );
  const schemas = reachableSchemas(
    document,
    operations.flatMap(({ input, output, query }) => [input, output, ...query.map(({ schema }) => schema)]),
  );
  return [
    IMPORTS,
    ...[...schemas].map(([name, schema]) => namedType(name, schema)),
    ...operations.filter(({ query }) => query.length > 0).map(queryType),
    errorCodes(operations),
    exactMembers(schemas),
    comment([document.info.description]) + 'export class Operations {',
    'constructor(private readonly transport: Transport) {}',
    ...operations.flatMap((operation) => [
      iterator(document, operation, operations),
      method(operation, operations),
    ]),
    '}',
  ].join('\n\n');
}

/** Collects what the generator needs from one operation. */
function describe(document, path, httpMethod, operation) {
  const parameters = operation.parameters ?? [];
  const strange = parameters.find((parameter) => !['path', 'query'].includes(parameter.in));
  if (strange)
    throw new Error(
      `${operation.operationId} has a parameter in "${strange.in}". Teach scripts/client/operations.mjs to generate it.`,
    );
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1];
  const id = operation.operationId;
  return {
    id,
    operation,
    path,
    method: httpMethod.toUpperCase(),
    inPath: parameters.filter((parameter) => parameter.in === 'path'),
    query: parameters.filter((parameter) => parameter.in === 'query'),
    queryName: `${id[0].toUpperCase()}${id.slice(1)}Query`,
    input: operation.requestBody?.content['application/json'].schema,
    output: success.content['application/json'].schema,
  };
}

function queryType({ id, queryName, query }) {
  const members = query.map(
    ({ name, description, required, schema }) =>
      `${comment([description])}readonly ${name}${required ? '' : '?'}: ${typeOf(schema)};`,
  );
  return `/** Query parameters of \`${id}\`. */\nexport interface ${queryName} {\n${members.join('\n')}\n}`;
}

/** All error codes that the operations document. */
function errorCodes(operations) {
  const codes = operations.flatMap(({ operation }) =>
    Object.values(operation.responses).flatMap((response) =>
      Object.keys(response.content['application/json'].examples ?? {}).filter(
        (code) => response.content['application/json'].examples[code].value?.code === code,
      ),
    ),
  );
  const union = [...new Set(codes)].toSorted(inOrder).map((code) => JSON.stringify(code));
  return `/** The error codes documented in this version of the API. */\nexport type ErrorCode = ${union.join(' | ')};`;
}

function exactMembers(schemas) {
  return (
    '/** Response members that are 64-bit integers. */\n' +
    `export const INT64_MEMBERS: ReadonlySet<string> = new Set(${JSON.stringify(int64Members(schemas))});`
  );
}

function method(described, operations) {
  const { id, operation, output } = described;
  const about = [operation.summary, ...deprecation(operation, operations)];
  return (
    `${comment(about)}async ${id}(${signature(described)}): Promise<${typeOf(output)}> {\n` +
    `return (await this.transport.send<${typeOf(output)}>(${call(described)}, options)).body;\n}`
  );
}

/** Generates an async iterator for an operation that returns a list and takes `after`: `Pets` becomes `pets()`. */
function iterator(document, described) {
  const { id, output, query, queryName } = described;
  const name = output.$ref?.split('/').at(-1);
  const list = document.components.schemas[name];
  if (list?.type !== 'array' || !query.some((parameter) => parameter.name === 'after')) return '';
  return (
    `/** Iterates over all items of \`${id}\`, fetching page by page: \`for await (const … of …)\`. */\n` +
    `${lowerFirst(name)}(query: ${queryName} = {}, options?: CallOptions): ` +
    `AsyncGenerator<${typeOf(list.items)}, void, undefined> {\n` +
    `return pages<${typeOf(list.items)}>(this.transport, ${call(described)}, options);\n}`
  );
}

function signature({ inPath, input, query, queryName }) {
  return [
    ...inPath.map(({ name, schema }) => `${name}: ${typeOf(schema)}`),
    ...(input ? [`${lowerFirst(typeOf(input))}: ${typeOf(input)}`] : []),
    ...(query.length > 0
      ? [`query: ${queryName}${query.some(({ required }) => required) ? '' : ' = {}'}`]
      : []),
    'options?: CallOptions',
  ].join(', ');
}

function call({ method, path, inPath, input, query }) {
  const filled = path.replaceAll(/\{(\w+)\}/g, '${encodeURIComponent(String($1))}');
  const target = inPath.length > 0 ? `\`${filled}\`` : JSON.stringify(path);
  const parts = [
    `method: '${method}'`,
    `path: ${target}`,
    ...(input ? [`body: ${lowerFirst(typeOf(input))}`] : []),
    ...(query.length > 0 ? ['query'] : []),
  ];
  return `{ ${parts.join(', ')} }`;
}

const lowerFirst = (name) => `${name[0].toLowerCase()}${name.slice(1)}`;
