import type { Call, Transport } from './call.js';
import type { CallOptions } from './settings.js';

/**
 * Iterates over all items of a list. Of the address in the `Link` header, only `after` is used, so that the key is never
 * sent to another host.
 */
export async function* pages<T>(
  transport: Transport,
  call: Call,
  options?: CallOptions,
): AsyncGenerator<T, void, undefined> {
  let query = call.query;
  let position: unknown;
  for (;;) {
    const { body, headers } = await transport.send<readonly T[]>({ ...call, query, isList: true }, options);
    yield* body;
    const last = body.at(-1);
    if (last === undefined) return;
    const after = nextPosition(headers.get('link'), last);
    if (after === undefined) return;
    if (after === position)
      throw new Error('The next page is the same page again. A proxy or a cache may ignore the query.');
    position = after;
    query = { ...query, after };
  }
}

/** Where the next page begins. If a proxy strips or changes the header, iteration goes on by id, until an empty page. */
function nextPosition(link: string | null, last: unknown): unknown {
  const next = /<([^>]*)>\s*;\s*rel="?next"?/.exec(link ?? '')?.[1];
  if (link !== null && next === undefined) return undefined;
  const after = new URLSearchParams(next?.split('?')[1]).get('after');
  if (after !== null) return after;
  const { id } = last as { id?: unknown };
  if (typeof id === 'bigint') return id;
  throw new Error('The answer has no Link to the next page. A proxy may have removed it.');
}
