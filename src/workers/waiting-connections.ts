import type { Worker } from 'node:cluster';
import net, { type Server } from 'node:net';
import { type Connection, screenConnections } from '../edge/http/accept.js';
import { networkOf } from '../rate-limit/network-of.js';

/** Connections that no worker has taken yet, with the worker that was given it, if any. */
const waiting = new Map<Connection, Worker | undefined>();
/** Their number by network. */
const crowds = new Map<string, number>();

/**
 * Closes connections that would be too many to wait for a worker, and those that their client has reset. Node's cluster
 * module queues them without a bound. A network gets half of the free places, so that a client that opens and closes
 * connections quickly does not take all of them. Call it before workers listen.
 */
export function limitWaitingConnections(most: number, onClose: () => void): void {
  const { createServer } = net;
  // The cluster module creates a server per port.
  net.createServer = ((...given: Parameters<typeof createServer>): Server => {
    const server = createServer(...given);
    screenConnections(server, (connection, address) => {
      const isAdmitted = admit(connection, networkOf(address), most);
      if (!isAdmitted) onClose();
      return isAdmitted;
    });
    return server;
  }) as typeof createServer;
}

function admit(connection: Connection, network: string, most: number): boolean {
  const crowd = crowds.get(network) ?? 0;
  if (waiting.size + 2 * crowd >= most) return false;
  waiting.set(connection, undefined);
  crowds.set(network, crowd + 1);
  const close = connection.close.bind(connection);
  // A worker has taken it, or it is refused.
  connection.close = (done) => {
    waiting.delete(connection);
    leave(network);
    connection.close = close;
    close(done);
  };
  return true;
}

function leave(network: string): void {
  const crowd = crowds.get(network) ?? 0;
  if (crowd > 1) crowds.set(network, crowd - 1);
  else crowds.delete(network);
}

/** Closes the connections that the worker was given and has not taken when it ends. The cluster module forgets them. */
export function closeUntaken(worker: Worker): void {
  const { process: child } = worker;
  const send = child.send.bind(child) as (message: unknown, handle?: unknown, ...rest: unknown[]) => boolean;
  child.send = (message: unknown, handle?: unknown, ...rest: unknown[]) => {
    if (waiting.has(handle as Connection)) waiting.set(handle as Connection, worker);
    return send(message, handle, ...rest);
  };
  worker.once('exit', () => {
    for (const [connection, receiver] of waiting) if (receiver === worker) connection.close();
  });
}
