// Writes the types of the TypeScript client from openapi.json; with --check, fails if they are out of date.
import { readFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';
import { writeOrCheck } from './support/generated.mjs';

const FILE = 'clients/typescript/src/openapi.ts';
const document = JSON.parse(readFileSync('openapi.json', 'utf8'));
const operations = Object.values(document.paths).flatMap((item) => Object.values(item));

const text = await format(await types(), { ...(await resolveConfig(FILE)), filepath: FILE });
writeOrCheck(FILE, text, 'npm run client');

async function types() {
  const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
  const transform = ({ format }) => (format === 'int64' ? bigint : undefined);
  const schemas = { ...document.components.schemas, ...queries(), ErrorCode: { enum: errorCodes() } };
  const parts = { ...document, paths: {}, components: { schemas } };
  const names = { rootTypes: true, rootTypesNoSchemaPrefix: true };
  const ast = await openapiTS(parts, { ...names, immutable: true, defaultNonNullable: false, transform });
  return `// Made from openapi.json by "npm run client"; not to be edited.\n${astToString(ast)}
    /** The members of answers that are 64-bit integers. */
    export const INT64: ReadonlySet<string> = new Set(${JSON.stringify(int64Members())});`;
}

/** The query parameters of each list as an object, such as ListPetsQuery. */
function queries() {
  const named = operations.map(({ operationId, parameters = [] }) => {
    const query = parameters.filter((parameter) => parameter.in === 'query');
    const members = query.map(({ name, schema, description }) => [name, { allOf: [schema], description }]);
    return [`${operationId}Query`, { type: 'object', properties: Object.fromEntries(members) }];
  });
  return Object.fromEntries(named.filter(([, { properties }]) => Object.keys(properties).length > 0));
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
  const names = new Set(members.filter(([, { format }]) => format === 'int64').map(([name]) => name));
  const other = members.find(([name, { format }]) => names.has(name) && format !== 'int64');
  if (other) throw new Error(`"${other[0]}" is not a 64-bit integer in every schema.`);
  return [...names];
}
