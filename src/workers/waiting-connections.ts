import net, { type Server } from 'node:net';

/** What Node.js passes on. Internal to it. */
interface Handle {
  close(done?: () => void): void;
}
interface ListeningHandle {
  onconnection: (error: unknown, connection?: Handle) => void;
}

/**
 * Closes connections that would be too many to wait for a worker. Node's cluster module queues them without a bound, and
 * a client that opens and closes them quickly would have all others wait behind. Call it before workers listen.
 */
export function limitWaitingConnections(most: number): void {
  const { createServer } = net;
  // The cluster module creates a server per port, and takes its handle once it listens.
  net.createServer = ((...given: Parameters<typeof createServer>): Server => {
    const server = createServer(...given);
    server.prependOnceListener('listening', () => {
      const { _handle: handle } = server as unknown as { _handle: ListeningHandle };
      process.nextTick(() => limit(handle, most));
    });
    return server;
  }) as typeof createServer;
}

function limit(handle: ListeningHandle, most: number): void {
  const { onconnection } = handle;
  let waiting = 0;
  handle.onconnection = (error, connection) => {
    if (connection && waiting >= most) {
      connection.close();
      return;
    }
    if (connection) {
      waiting++;
      const close = connection.close.bind(connection);
      // A worker has taken it, or it is refused.
      connection.close = (done) => {
        waiting--;
        connection.close = close;
        close(done);
      };
    }
    // Node.js calls it on the handle.
    onconnection.call(handle, error, connection);
  };
}
