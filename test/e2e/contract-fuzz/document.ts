import { parse } from 'lossless-json';

/** The parts of JSON Schema that the published document uses. Whole numbers are bigints: bounds keep all their digits. */
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

/** What the document lets a client know about one operation. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  /** With the base of the deployment in front: `/v1/pets/{petId}`. */
  readonly path: string;
  readonly pathParameters: readonly Parameter[];
  readonly query: readonly Parameter[];
  readonly body?: Schema;
  readonly success: number;
  /** Each code of a refusal, with its status and what is said of it. */
  readonly refusals: ReadonlyMap<string, { readonly status: number; readonly summary: string }>;
}

/** Reads the operations out of the served text. Nothing else is known of the service. */
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

/** Follows references and merges `allOf`, so that a schema stands for itself. */
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

// A document is a tree of anything.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = Record<string, any>;
