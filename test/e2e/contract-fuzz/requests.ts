import fc from 'fast-check';
import type { Operation, Parameter, Schema } from './document.js';
import { allowed, asJson, asParameter, type Meaning } from './values.js';

/** A request as sent, with its decoded parameters and fields. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Buffer;
  /** Sent under a new Idempotency-Key, and once more. */
  readonly isRepeated?: boolean;
  /** The decoded parameters and fields. */
  readonly says: Readonly<Record<string, Meaning>>;
}

/** A member of a body, or a query parameter, with its encoded value. */
export interface Member {
  readonly name: string;
  readonly json: string;
  readonly means?: Meaning;
}

/** The documented header of operations that can be repeated. */
export function keyHeaderOf({ headers }: Operation): Parameter | undefined {
  return headers.find(({ name }) => name === 'Idempotency-Key');
}

/** All valid requests for an operation. */
export function allowedRequests(operation: Operation): fc.Arbitrary<Sent> {
  const once = allowedOnce(operation);
  if (!keyHeaderOf(operation)) return once;
  return fc.tuple(once, fc.boolean()).map(([sent, isRepeated]) => ({ ...sent, isRepeated }));
}

function allowedOnce(operation: Operation): fc.Arbitrary<Sent> {
  const { query, body, mediaTypes } = operation;
  return fc
    .record({
      path: pathOf(operation),
      query: query.length > 0 ? queryOf(query) : ignoredQuery,
      body: body ? membersOf(body).chain((members) => bodyOf(operation, members)) : fc.constant(undefined),
      headers: body
        ? fc.constantFrom(...mediaTypes).map((type) => ({ 'content-type': type }))
        : fc.constant({}),
    })
    .map((parts) => toRequest(operation, parts));
}

export interface Parts {
  path: { text: string; says: Record<string, Meaning> };
  query: readonly Member[];
  body: { text: string | Buffer; says: Record<string, Meaning> } | undefined;
  headers?: Record<string, string | undefined>;
}

export function toRequest(operation: Operation, { path, query, body, headers = {} }: Parts): Sent {
  const search = query.map(({ name, json }) => `${name}=${json}`).join('&');
  return {
    method: operation.method,
    path: `${path.text}${search && `?${search}`}`,
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: body.text }),
    says: { ...path.says, ...saidBy(query), ...body?.says },
  };
}

export function pathOf({ path, pathParameters }: Operation): fc.Arbitrary<Parts['path']> {
  return fc
    .tuple(...pathParameters.map(({ name, schema }) => written(name, schema, asParameter)))
    .map((given) => ({
      text: given.reduce((text, { name, json }) => text.replace(`{${name}}`, json), path),
      says: saidBy(given),
    }));
}

/** Any subset of the parameters in any order. */
export function queryOf(parameters: readonly Parameter[]): fc.Arbitrary<Member[]> {
  return fc
    .shuffledSubarray([...parameters])
    .chain((some) => fc.tuple(...some.map(({ name, schema }) => written(name, schema, asParameter))));
}

/** Operations without documented query parameters ignore the query. */
const ignoredQuery: fc.Arbitrary<Member[]> = fc.oneof(
  { withCrossShrink: true },
  { arbitrary: fc.constant<Member[]>([]), weight: 3 },
  {
    arbitrary: fc
      .array(fc.tuple(fc.webQueryParameters(), fc.webQueryParameters()), { maxLength: 3 })
      .map((pairs) => pairs.map(([name, json]) => ({ name, json }))),
    weight: 1,
  },
);

/** The required fields and any subset of the optional ones, in any order. */
export function membersOf(
  { properties = {}, required = [] }: Schema,
  { minLength }: { minLength: 0 | 1 } = { minLength: 0 },
): fc.Arbitrary<Member[]> {
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  return fc
    .subarray(optional, { minLength: required.length > 0 ? 0 : minLength })
    .chain((some) => {
      const names = [...required, ...some];
      return fc.shuffledSubarray(names, { minLength: names.length });
    })
    .chain((names) => fc.tuple(...names.map((name) => written(name, properties[name] ?? {}, asJson))));
}

function written(
  name: string,
  schema: Schema,
  write: (meaning: Meaning) => fc.Arbitrary<string>,
): fc.Arbitrary<Member> {
  return allowed(schema).chain((means) => write(means).map((json) => ({ name, json, means })));
}

/** A body with various insignificant white space, sometimes padded to the size limit. */
export function bodyOf(
  operation: Operation,
  members: readonly Member[],
): fc.Arbitrary<{ text: string; says: Record<string, Meaning> }> {
  const most = limitOf(operation, 'payload_too_large');
  return fc
    .record({
      space: fc.constantFrom('', ' ', '\n\t', '\r\n  '),
      full: fc.nat({ max: 9 }).map((n) => n === 9),
    })
    .map(({ space, full }) => {
      const text = objectText(members, space);
      const says = saidBy(members);
      return { text: full ? padded(text, most) : text, says };
    });
}

export function objectText(members: readonly Member[], space = ''): string {
  const inner = members.map(
    ({ name, json }) => `${space}${JSON.stringify(name)}${space}:${space}${json}${space}`,
  );
  return `${space}{${inner.join(',') || space}}${space}`;
}

/** Pads a text with spaces to a number of bytes. */
export function padded(text: string, bytes: number): string {
  return text + ' '.repeat(Math.max(0, bytes - Buffer.byteLength(text)));
}

/** Reads a limit from the summary of its error: "The body is larger than 16384 bytes." */
export function limitOf({ refusals }: Operation, code: string): number {
  const [bytes] = /\d+/.exec(refusals.get(code)?.summary ?? '') ?? [];
  if (!bytes) throw new Error(`The document names no limit for ${code}`);
  return Number(bytes);
}

function saidBy(members: readonly Member[]): Record<string, Meaning> {
  return Object.fromEntries(
    members.flatMap(({ name, means }) => (means === undefined ? [] : [[name, means]])),
  );
}
