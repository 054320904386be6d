import type { Call, Transport } from './call.js';
import type { CallOptions } from './settings.js';

/**
 * All items of a list, a page at a time. The next page begins after the last id: the address in the `Link` header says
 * only that there is one, so that the key is never sent wherever a header points.
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

/** Without the header, which something between may take away, an empty page is the end. */
function hasNext(headers: Headers): boolean {
  const link = headers.get('link');
  return link === null || /;\s*rel="?next"?/.test(link);
}
