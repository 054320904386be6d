// Writes the types of the TypeScript client from openapi.json; with --check, fails if they are out of date.
import { readFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';
import { writeOrCheck } from './support/generated.mjs';

const FILE = 'clients/typescript/src/openapi.ts';
const document = JSON.parse(readFileSync('openapi.json', 'utf8'));
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ ...operation, name: `${method.toUpperCase()} ${path}` })),
);

const text = await format(await types(), { ...(await resolveConfig(FILE)), filepath: FILE });
writeOrCheck(FILE, text, 'npm run client');

async function types() {
  const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
  const transform = ({ format }) => (format === 'int64' ? bigint : undefined);
  const schemas = { ...document.components.schemas, ErrorCode: { enum: errorCodes() } };
  const parts = { ...document, paths: paths(), components: { schemas } };
  const operationIds = Object.fromEntries(operations.map(({ name, operationId }) => [name, operationId]));
  const names = { rootTypes: true, rootTypesNoSchemaPrefix: true };
  const ast = await openapiTS(parts, { ...names, immutable: true, defaultNonNullable: false, transform });
  return `// Made from openapi.json by "npm run client"; not to be edited.\n${astToString(ast)}${queries().join('\n')}
    /** The names of the operations. */
    export const OPERATIONS: Readonly<Record<string, string>> = ${JSON.stringify(operationIds)};
    /** The members of answers that are 64-bit integers. */
    export const INT64: ReadonlySet<string> = new Set(${JSON.stringify(int64Members())});`;
}

/** The client sends and reads headers, and reads errors, in the same way for all operations: they need no types. */
function paths() {
  const copy = structuredClone(document.paths);
  for (const operation of Object.values(copy).flatMap((item) => Object.values(item))) {
    operation.parameters = operation.parameters?.filter((parameter) => parameter.in !== 'header');
    for (const [status, response] of Object.entries(operation.responses)) {
      if (status.startsWith('2')) delete response.headers;
      else delete operation.responses[status];
    }
  }
  return copy;
}

/** The query of each list, such as ListPetsQuery. */
function queries() {
  const lists = operations.filter(({ parameters = [] }) => parameters.some((parameter) => parameter.in === 'query'));
  return lists.map(({ operationId }) => {
    const name = `${operationId[0].toUpperCase()}${operationId.slice(1)}Query`;
    return `export type ${name} = NonNullable<operations['${operationId}']['parameters']['query']>;`;
  });
}

/** The codes in the examples of refusals. */
function errorCodes() {
  const all = [document.components, ...operations].flatMap(({ responses }) => Object.values(responses));
  const examples = all.flatMap(({ content: each }) => Object.values(each?.['application/json'].examples ?? {}));
  return [...new Set(examples.map(({ value }) => value.code).filter(Boolean))];
}

/** The client knows these numbers by name, which therefore has one meaning everywhere. */
function int64Members() {
  const members = Object.values(document.components.schemas).flatMap((each) => Object.entries(each.properties ?? {}));
  if (members.some(([, { items }]) => items?.format === 'int64'))
    throw new Error('The client reads no lists of int64.');
  const names = new Set(members.filter(([, { format }]) => format === 'int64').map(([name]) => name));
  const other = members.find(([name, { format }]) => names.has(name) && format !== 'int64');
  if (other) throw new Error(`"${other[0]}" is not a 64-bit integer in every schema.`);
  return [...names];
}
