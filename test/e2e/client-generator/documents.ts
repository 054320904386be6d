/** Parts of documents, for the tests of the client generator. */
export const int64 = { type: 'integer', format: 'int64' };
/** As the document writes `decimal({ minimum, maximum, scale: 2 })`. */
export const decimal = {
  type: 'number',
  minimum: -9_999_999_999_999.99,
  maximum: 9_999_999_999_999.99,
  multipleOf: 0.01,
};
export const text = { type: 'string' };
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
export const listOf = (items: object) => ({ type: 'array', items });
export const objectOf = (properties: object, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
});
export const json = (schema: object) => ({ content: { 'application/json': { schema } } });
export const inPath = (name: string, schema: object = int64) => ({
  name,
  in: 'path',
  required: true,
  schema,
});
export const inQuery = (name: string, schema: object, more = {}) => ({ name, in: 'query', schema, ...more });
export const inHeader = (name: string, schema: object, more = {}) => ({
  name,
  in: 'header',
  schema,
  ...more,
});
export const nothing = { 204: { description: 'Done.' } };
export const answers = (schema: object) => ({ 200: json(schema) });

/** An operation that is written `GET /toys`. */
export interface Operation {
  readonly on: string;
  readonly operation: { readonly operationId?: string; readonly [key: string]: unknown };
  readonly item?: object;
}

export function documentOf(operations: readonly Operation[], components: object = {}): object {
  const paths: Record<string, object> = {};
  for (const { on, operation, item } of operations) {
    const [method = '', path = ''] = on.split(' ');
    paths[path] = { ...paths[path], ...item, [method.toLowerCase()]: operation };
  }
  return { openapi: '3.1.0', info: { description: 'Toys.' }, paths, components };
}
