import type { Server } from 'node:http';
import { Socket } from 'node:net';

/**
 * Node.js ends an answer with an empty write, and then hands both to the system as a list: that costs more than the one
 * write that is left without it.
 */
export function sendInOneWrite(server: Server): void {
  server.on('connection', (socket) => {
    socket._writev = writeAll;
  });
}

type WriteList = NonNullable<Socket['_writev']>;

const writeAll: WriteList = function (this: Socket, chunks, callback) {
  const [first, second] = chunks;
  if (chunks.length === 2 && first && second?.chunk === '') {
    this._write(first.chunk, first.encoding, callback);
  } else {
    (Socket.prototype._writev as WriteList).call(this, chunks, callback);
  }
};
