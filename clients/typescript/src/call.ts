import { stringifyExactly } from './exact-json.js';
import { OPERATIONS } from './openapi.js';
import type { Method } from './operations.js';
import type { CallOptions } from './settings.js';

/** A call of any operation. The template is a path of the document, such as `/pets/{petId}`. */
export interface Call extends CallOptions {
  readonly method: Method;
  readonly template: string;
  readonly path?: object;
  readonly query?: object;
  readonly body?: unknown;
}

/** A call as it is sent, equal in every attempt. */
export type EncodedCall = ReturnType<typeof encode>;

/** Encodes a call. Throws a TypeError at once for what `fetch` would refuse in every attempt. */
export function encode({ method, template, path = {}, query = {}, ...call }: Call, baseUrl: string) {
  const body = call.body === undefined ? null : stringifyExactly(call.body);
  // In browsers, `crypto.randomUUID` exists on secure pages only.
  const newKey = () => crypto.getRandomValues(new BigUint64Array(2)).join('-');
  const idempotencyKey = method === 'GET' ? undefined : (call.idempotencyKey ?? newKey());
  stringifyExactly([path, query]); // refuses rounded numbers
  const url = new URL(`${baseUrl.replace(/\/$/, '')}${fill(template, path)}`);
  for (const [parameter, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(parameter, String(value)); // A list is sent as `1,2,3`.
  }
  const headers = new Headers();
  if (body !== null) headers.set('content-type', 'application/json');
  if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
  if (call.requestId !== undefined) headers.set('x-request-id', call.requestId);
  const operation = OPERATIONS[`${method} ${template}`] ?? template;
  return { operation, method, url: url.href, headers, body, idempotencyKey };
}

/** Puts the values into a path. */
function fill(template: string, path: object): string {
  const values = path as Record<string, bigint | string | undefined>;
  return template.replace(/{(.*?)}/g, (_, name: string) => {
    const value = String(values[name] ?? '');
    // In a URL, `..` leads to another operation, even as `%2E%2E`.
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`"${value}" cannot be the "${name}" of ${template}.`);
    return encodeURIComponent(value);
  });
}
