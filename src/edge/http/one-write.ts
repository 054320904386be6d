import type { Server } from 'node:http';
import { Socket } from 'node:net';

/**
 * Sends a response in a single write. Before version 24.21, Node.js ends a response with an empty write and then passes
 * both chunks to writev, which costs more than a plain write.
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
