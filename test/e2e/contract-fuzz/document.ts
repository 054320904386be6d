import { parse } from 'lossless-json';

/** The subset of JSON Schema that the published document uses. Integers are bigints, to keep bounds exact. */
export interface Schema {
  readonly type?: 'string' | 'integer' | 'object' | 'array';
  readonly enum?: readonly string[];
  readonly minimum?: bigint;
  readonly maximum?: bigint;
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
  readonly body?: Schema;
  readonly success: number;
  /** The documented error codes, with status and summary. */
  readonly refusals: ReadonlyMap<string, { readonly status: number; readonly summary: string }>;
}

/** Reads the operations from the served document, the only source of knowledge about the service. */
export function readDocument(text: string): Operation[] {
  const document = parse(text, undefined, (number) =>
    /^-?\d+$/.test(number) ? BigInt(number) : Number(number),
  ) as Json;
  const base = document['servers'][0]['url'] as string;
  return Object.entries(document['paths'] as Json).flatMap(([path, item]) =>
    Object.entries(item as Json).map(([method, operation]: [string, Json]) =>
      readOperation(document, method.toUpperCase(), `${base}${path}`, operation),
    ),
  );
}

function readOperation(document: Json, method: string, path: string, operation: Json): Operation {
  const parameters = (operation['parameters'] ?? []) as (Parameter & { in: string })[];
  const placed = (place: string): Parameter[] =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, required, schema }) => ({ name, required, schema: resolve(document, schema) }));
  const body = operation['requestBody']?.['content']['application/json']['schema'] as Json | undefined;
  const statuses = Object.keys(operation['responses'] as Json);
  return {
    id: operation['operationId'] as string,
    method,
    path,
    pathParameters: placed('path'),
    query: placed('query'),
    ...(body && { body: resolve(document, body) }),
    success: Number(statuses.find((status) => status.startsWith('2'))),
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

/** Inlines references and `allOf`. */
function resolve(document: Json, schema: object): Schema {
  const { $ref, allOf = [], properties, ...own } = schema as Json;
  const target = ($ref as string | undefined)
    ?.slice('#/'.length)
    .split('/')
    .reduce((at: Json, part) => at[part] as Json, document);
  const merged = [...(target ? [target] : []), ...(allOf as Json[])].map((part) => resolve(document, part));
  const members = Object.entries((properties ?? {}) as Record<string, Json>);
  return Object.assign({}, ...merged, own, {
    ...(properties && {
      properties: Object.fromEntries(members.map(([name, member]) => [name, resolve(document, member)])),
    }),
  }) as Schema;
}

// The document is untyped JSON.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = Record<string, any>;
