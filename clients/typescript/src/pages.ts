import type { Call } from './call.js';
import type { CallOptions } from './settings.js';
import type { Transport } from './transport.js';

/**
 * Iterates over all items of a list. The next page begins after the last id; the `Link` header only tells whether there
 * is one, so that the key is never sent to another host. Without the header, the last page is the empty one.
 */
export async function* pages<T extends { readonly id: bigint }>(
  transport: Transport,
  call: Call,
  options?: CallOptions,
): AsyncGenerator<T, void, undefined> {
  let position: { after?: bigint } = {};
  for (;;) {
    const page = { ...call, query: { ...call.query, ...position } };
    const { body, headers } = await transport.answer<readonly T[]>(page, options);
    yield* body;
    const after = body.at(-1)?.id;
    if (after === undefined || !(headers.get('link') ?? 'rel="next"').includes('rel="next"')) return;
    if (after === position.after) {
      throw new Error('The next page is the same page again. A proxy or a cache may ignore the query.');
    }
    position = { after };
  }
}
