import type { Duplex } from 'node:stream';
import type { ClientBase } from 'pg';

/** Closes the socket without pg's goodbye, which a frozen server would not read. Calls `after` once it is closed. */
export function destroyConnection(client: ClientBase, after: () => void = () => {}): void {
  const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection;
  if (stream.closed) {
    after();
    return;
  }
  stream.once('close', after);
  stream.destroy();
}
