import type { Duplex } from 'node:stream';
import type { ClientBase } from 'pg';

/** Closes the socket without pg's goodbye, which a frozen server would not read. Calls `after` once it is closed. */
export function destroyConnection(client: ClientBase, after: () => void = () => {}): void {
  whenClosed(client, after);
  streamOf(client).destroy();
}

/** Calls `after` once the socket is closed: at once if it is. */
export function whenClosed(client: ClientBase, after: () => void): void {
  const stream = streamOf(client);
  if (stream.closed) after();
  else stream.once('close', after);
}

export function isClosed(client: ClientBase): boolean {
  return streamOf(client).destroyed;
}

function streamOf(client: ClientBase): Duplex {
  return (client as unknown as { connection: { stream: Duplex } }).connection.stream;
}
