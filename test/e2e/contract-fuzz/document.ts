import { parse } from 'lossless-json';

/** The subset of JSON Schema that the published document uses. Integers are bigints, to keep bounds exact. */
export interface Schema {
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'object' | 'array';
  readonly nullable?: boolean;
  readonly format?: string;
  readonly enum?: readonly (string | bigint | boolean)[];
  readonly default?: unknown;
  readonly items?: Schema;
  readonly minItems?: bigint;
  readonly maxItems?: bigint;
  readonly uniqueItems?: boolean;
  /** The collection in which the value is the id of an item. */
  readonly refersTo?: string;
  readonly minimum?: bigint;
  readonly maximum?: bigint;
  /** Of a decimal, whose bounds may be fractions. */
  readonly multipleOf?: bigint | number;
  readonly minLength?: bigint;
  readonly maxLength?: bigint;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
}

export interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

/** One operation of the document. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** Includes the base path of the server: `/v1/pets/{petId}`. */
  readonly path: string;
  readonly pathParameters: readonly Parameter[];
  readonly query: readonly Parameter[];
  readonly headers: readonly Parameter[];
  readonly body?: Schema;
  readonly mediaTypes: readonly string[];
  readonly success: number;
  /** The schema of a success with a body. */
  readonly answer?: Schema;
  /** The documented error codes, with status and summary. */
  readonly refusals: ReadonlyMap<string, { readonly status: number; readonly summary: string }>;
}

/** A foreign key, which no document says. */
export interface Reference {
  readonly table: string;
  readonly field: string;
  readonly target: string;
}

/** Reads the operations from the served document: apart from references, the only source of knowledge about the service. */
export function readDocument(text: string, references: readonly Reference[]): Operation[] {
  const document = parse(text, undefined, (number) =>
    /^-?\d+$/.test(number) ? BigInt(number) : Number(number),
  ) as Json;
  const base = document['servers'][0]['url'] as string;
  const operations = Object.entries(document['paths'] as Json).flatMap(([path, item]) =>
    Object.entries(item as Json).map(([method, operation]: [string, Json]) =>
      readOperation(document, method.toUpperCase(), `${base}${path}`, operation),
    ),
  );
  return operations.map((operation) => withReferences(operation, operations, references));
}

/** Marks the id of an item's path, and the fields of a body that refer to another resource. */
function withReferences(
  operation: Operation,
  all: readonly Operation[],
  references: readonly Reference[],
): Operation {
  const { path, pathParameters, body } = operation;
  const marked = { ...operation, pathParameters: pathParameters.map(markOwnId) };
  if (!body?.properties) return marked;
  const fields = Object.entries(body.properties).map(([name, schema]): [string, Schema] => {
    const { target } = references.find(({ table, field }) => field === name && isOf(table, operation)) ?? {};
    const other = target === undefined ? undefined : all.find((one) => isOf(target, one));
    return [name, other ? { ...schema, refersTo: collectionOf(other.path) } : schema];
  });
  return { ...marked, body: { ...body, properties: Object.fromEntries(fields) } };

  function markOwnId(parameter: Parameter): Parameter {
    if (!path.endsWith(`/{${parameter.name}}`)) return parameter;
    return { ...parameter, schema: { ...parameter.schema, refersTo: collectionOf(path) } };
  }
}

/** Whether a table holds the items of an operation's collection: `pet_owners` those of `/v1/pet-owners`. */
function isOf(table: string, { path }: Operation): boolean {
  return collectionOf(path).endsWith(`/${table.replaceAll('_', '-')}`);
}

/** The path of the collection to which an operation belongs: `/v1/pets` of `/v1/pets/{petId}`. */
export function collectionOf(path: string): string {
  return path.replace(/\/\{\w+\}$/, '');
}

function readOperation(document: Json, method: string, path: string, operation: Json): Operation {
  const parameters = (operation['parameters'] ?? []) as (Parameter & { in: string })[];
  const placed = (place: string): Parameter[] =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ schema, ...parameter }) => ({ ...parameter, schema: resolve(document, schema) }));
  const content = operation['requestBody']?.['content'] as Json | undefined;
  const body = content?.['application/json']['schema'] as Json | undefined;
  const statuses = Object.keys(operation['responses'] as Json);
  const success = statuses.find((status) => status.startsWith('2')) ?? '';
  const answer = operation['responses'][success]?.['content']?.['application/json']['schema'] as
    Json | undefined;
  return {
    id: operation['operationId'] as string,
    method,
    path,
    pathParameters: placed('path'),
    query: placed('query'),
    headers: placed('header'),
    ...(body && { body: resolve(document, body) }),
    mediaTypes: Object.keys(content ?? {}),
    success: Number(success),
    ...(answer && { answer: resolve(document, answer) }),
    refusals: new Map(statuses.flatMap((status) => readRefusals(operation['responses'][status] as Json))),
  };
}

function readRefusals(response: Json): [string, { status: number; summary: string }][] {
  const examples = (response['content']?.['application/json']['examples'] ?? {}) as Record<string, Json>;
  return Object.values(examples).map(({ summary, value }) => [
    value['code'] as string,
    { status: Number(value['status']), summary: String(summary) },
  ]);
}

/** Inlines references and `allOf`, and marks what may be null. */
function resolve(document: Json, schema: object): Schema {
  const { $ref, allOf = [], anyOf, oneOf = anyOf, properties, items, type, ...own } = schema as Json;
  const types = [type as string | string[] | undefined].flat();
  const alternatives = ((oneOf ?? []) as Json[]).filter((one) => one['type'] !== 'null');
  const isNullable = types.includes('null') || alternatives.length < ((oneOf ?? []) as Json[]).length;
  const target = ($ref as string | undefined)
    ?.slice('#/'.length)
    .split('/')
    .reduce((at: Json, part) => at[part] as Json, document);
  const parts = [...(target ? [target] : []), ...(allOf as Json[]), ...alternatives.slice(0, 1)];
  const merged = parts.map((part) => resolve(document, part));
  const ownType = types.find((one) => one !== 'null');
  const members = Object.entries((properties ?? {}) as Record<string, Json>);
  return Object.assign({}, ...merged, own, {
    ...(ownType !== undefined && { type: ownType }),
    ...(isNullable && { nullable: true }),
    ...(own['enum'] && { enum: (own['enum'] as unknown[]).filter((value) => value !== null) }),
    ...(items && { items: resolve(document, items as Json) }),
    ...(properties && {
      properties: Object.fromEntries(members.map(([name, member]) => [name, resolve(document, member)])),
    }),
  }) as Schema;
}

// The document is untyped JSON.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = Record<string, any>;
