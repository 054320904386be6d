import { stringifyExactly } from './exact-json.js';
import type { CallOptions } from './settings.js';

/** A request of one operation. */
export interface Call {
  /** The name of its method. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: object;
  readonly body?: object;
}

/** A call as it is sent, equal in every attempt. */
export type EncodedCall = ReturnType<typeof encode>;

/** Encodes a call. Throws a TypeError at once for what `fetch` would refuse in every attempt. */
export function encode(call: Call, baseUrl: string, options: CallOptions) {
  const { operation, method, path, query = {} } = call;
  const body = call.body === undefined ? null : stringifyExactly(call.body);
  const idempotencyKey = method === 'GET' ? undefined : (options.idempotencyKey ?? newKey());
  stringifyExactly(query); // refuses rounded numbers
  const url = new URL(`${baseUrl.replace(/\/$/, '')}${path}`);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value)); // A list is sent as `1,2,3`.
  }
  const headers = new Headers();
  if (body !== null) headers.set('content-type', 'application/json');
  if (idempotencyKey !== undefined) headers.set('idempotency-key', idempotencyKey);
  if (options.requestId !== undefined) headers.set('x-request-id', options.requestId);
  return { operation, method, url: url.href, headers, body, idempotencyKey };
}

/** 128 random bits. In browsers, `crypto.randomUUID` exists on secure pages only. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
