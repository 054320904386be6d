import type { Call, Scalar } from './call.js';
import { stringifyExactly } from './exact-json.js';
import type { CallOptions } from './settings.js';

/** A call as it is sent, equal in every attempt. */
export interface EncodedCall {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | undefined;
  readonly idempotencyKey: string | undefined;
}

/** Encodes a call. Throws a TypeError at once for what `fetch` would refuse in every attempt. */
export function encode(call: Call, baseUrl: string, options: CallOptions): EncodedCall {
  const body = call.body === undefined ? undefined : stringifyExactly(call.body);
  const idempotencyKey = changesNothing(call) ? undefined : (options.idempotencyKey ?? newKey());
  const { url, method, headers } = new Request(`${baseUrl.replace(/\/$/, '')}${call.path}${searchOf(call)}`, {
    method: call.method,
    headers: present({
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...call.headers,
      'idempotency-key': idempotencyKey,
      'x-request-id': options.requestId,
    }),
    ...(body !== undefined && { body }),
  });
  return { url, method, headers, body, idempotencyKey };
}

export function changesNothing({ method }: { readonly method: string }): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** 128 random bits. In browsers, `crypto.randomUUID` exists on secure pages only. */
function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function present(headers: Readonly<Record<string, Scalar | undefined>>): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
}

function searchOf({ query = {}, commaSeparated = [] }: Call): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const values = [value].flat().map((each) => encodeURIComponent(String(each)));
    // An empty list is sent as an empty value: without the parameter, the request would ask for everything.
    const texts = commaSeparated.includes(name) || values.length === 0 ? [values.join(',')] : values;
    return texts.map((text) => `${encodeURIComponent(name)}=${text}`);
  });
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}
