import type { Server } from 'node:net';

/** The handle of a connection that has no socket yet. Internal to Node.js. */
export interface Connection {
  close(done?: () => void): void;
  /** Leaves `out` as it is when the peer has reset the connection. */
  getpeername(out: { address?: string }): number;
}

interface ListeningHandle {
  onconnection: (error: unknown, connection?: Connection) => void;
}

/** Emitted by a server for each connection, also for those that are closed unread. */
export const ACCEPTED = 'accepted';

type Admit = (connection: Connection, address: string) => boolean;

/**
 * Closes connections that are not admitted, and those that their peer reset while the kernel queued them, before they cost
 * a socket and an answer. A proxy resets its connection when its client breaks off a request, and opens the next: they
 * would fill the queue. Call it before the server listens.
 */
export function screenConnections(server: Server, admit: Admit = () => true): void {
  server.prependOnceListener('listening', () => {
    const { _handle: handle } = server as unknown as { _handle: ListeningHandle };
    // In a primary, the cluster module sets its own handler at this event.
    process.nextTick(() => screen(handle, admit, () => server.emit(ACCEPTED)));
  });
}

function screen(handle: ListeningHandle, admit: Admit, accepted: () => void): void {
  const { onconnection } = handle;
  handle.onconnection = (error, connection) => {
    accepted();
    if (connection) {
      const peer: { address?: string } = {};
      connection.getpeername(peer);
      if (peer.address === undefined || !admit(connection, peer.address)) {
        connection.close();
        return;
      }
    }
    // Node.js calls it on the handle.
    onconnection.call(handle, error, connection);
  };
}
