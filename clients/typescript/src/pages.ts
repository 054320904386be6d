import type { Call, Transport } from './call.js';
import type { CallOptions } from './settings.js';

/**
 * Iterates over all items of a list. The `Link` header only tells whether there is a next page; its URL is not used, so
 * that the key is never sent to another host.
 */
export async function* pages<T extends { id: bigint }>(
  transport: Transport,
  call: Call,
  options?: CallOptions,
): AsyncGenerator<T, void, undefined> {
  let query = call.query;
  for (;;) {
    const { body, headers } = await transport.send<T[]>({ ...call, query }, options);
    yield* body;
    const last = body.at(-1);
    if (last === undefined || !hasNext(headers)) return;
    query = { ...query, after: last.id };
  }
}

/** If a proxy strips the header, iteration continues until an empty page. */
function hasNext(headers: Headers): boolean {
  const link = headers.get('link');
  return link === null || /;\s*rel="?next"?/.test(link);
}
