import type { Duplex } from 'node:stream';
import type { ClientBase } from 'pg';

/** Cuts a connection off without a word, since the server may not be listening, and calls `after` when it is closed. */
export function hangUp(client: ClientBase, after: () => void = () => {}): void {
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection;
  if (stream.closed) {
    after();
    return;
  }
  stream.once('close', after);
  stream.destroy();
}
