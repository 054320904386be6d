import { once } from 'node:events';
import { createServer as createHttpServer, IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, Socket } from 'node:net';
import { describe } from '@jest/globals';
import { type FastifyInstance, fastify } from 'fastify';
import { itFinds } from '../../test/support/inside.js';
import { screenConnections } from './http/accept.js';

describe('internals of others that the edge relies on', () => {
  itFinds('Node.js: Socket._writev and _write', 'src/edge/http/one-write.ts', async () => {
    const { together, alone } = await writesOfAnAnswer();
    const isWithEmptyWrite = together.length === 2 && together[1] === '' && alone === 0;
    return isWithEmptyWrite || (together.length === 0 && alone === 1);
  });

  itFinds('Node.js: socket._handle.writeQueueSize', 'src/edge/http/connections.ts', async () => {
    const sizes = await unsentBytes(32 * 1024 * 1024);
    return sizes.before === 0 && typeof sizes.after === 'number' && sizes.after > 1024 * 1024;
  });

  itFinds('Node.js: onconnection and getpeername of handles', 'src/edge/http/accept.ts', async () => {
    const server = createServer((socket) => socket.destroy());
    const addresses: string[] = [];
    screenConnections(server, (_connection, address) => addresses.push(address) > 0);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    await once(connect((server.address() as AddressInfo).port, '127.0.0.1'), 'close');
    server.close();
    return addresses[0] === '127.0.0.1';
  });

  itFinds("Node.js: event 'socket' of a response", 'src/edge/http/pipelining.ts', () => {
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    let assigned = false;
    response.once('socket', () => (assigned = true));
    response.assignSocket(new Socket());
    return assigned && response.socket !== null;
  });

  itFinds('Node.js: ServerResponse.assignSocket()', 'src/edge/adapter.ts', () => {
    const socket = new Socket();
    const response = new ServerResponse(new IncomingMessage(socket));
    response.assignSocket(socket);
    return response.socket === socket;
  });

  itFinds('Node.js: ServerResponse._storeHeader()', 'src/edge/http/quick-head.ts', () => {
    let stored: unknown[] = [];
    class Response extends ServerResponse {
      _storeHeader(...given: unknown[]): void {
        stored = given;
      }
    }
    new Response(new IncomingMessage(new Socket())).writeHead(200, { 'x-own': 'a' });
    const [firstLine, headers] = stored as [string, { 'x-own'?: string }];
    return firstLine === 'HTTP/1.1 200 OK\r\n' && headers['x-own'] === 'a';
  });

  itFinds('Node.js: IncomingMessage.push() for each chunk', 'src/edge/http/chunk-limit.ts', async () => {
    const pushed: unknown[] = [];
    class Request extends IncomingMessage {
      override push(chunk: unknown): boolean {
        pushed.push(chunk);
        return super.push(chunk);
      }
    }
    const options = { IncomingMessage: Request };
    const server = createHttpServer(options, (request, response) =>
      request.resume().on('end', () => response.end()),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(
      'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n',
    );
    await once(socket, 'data');
    socket.destroy();
    server.close();
    return pushed.length === 3 && String(pushed[0]) === 'a' && pushed[2] === null;
  });

  itFinds("Fastify: its listener of the server's 'request' event", 'src/edge/http/prepend-handler.ts', () =>
    withFastify(({ server }) => server.listeners('request').length === 1),
  );

  itFinds('Fastify: addHttpMethod() for known methods', 'src/edge/adapter.ts', () =>
    withFastify(async (instance) => {
      instance.addHttpMethod('POST', { overrideExisting: true });
      instance.post('/', ({ body, raw }) => ({
        isUnread: body === undefined && !raw.readableEnded,
      }));
      const { body } = await instance.inject({ method: 'POST', url: '/', payload: { a: 1 } });
      return body === '{"isUnread":true}';
    }),
  );
});

/** The chunks that Node.js passes to `_writev` for an answer that ends with its body, and the number of plain writes. */
async function writesOfAnAnswer(): Promise<{ together: unknown[]; alone: number }> {
  const together: unknown[] = [];
  let alone = 0;
  const server = createHttpServer((_request, response) => response.end('answer'));
  server.on('connection', (socket) => {
    socket._writev = function (chunks, callback) {
      together.push(...chunks.map(({ chunk }) => chunk as unknown));
      Socket.prototype._writev?.call(this, chunks, callback);
    };
    socket._write = function (...given) {
      alone++;
      Socket.prototype._write.apply(this, given);
    };
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  await answer.text();
  server.close();
  server.closeAllConnections();
  return { together, alone };
}

/** What a socket reports as unsent while its client reads nothing. */
async function unsentBytes(
  size: number,
): Promise<{ before?: number | undefined; after?: number | undefined }> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
  const [socket] = (await once(server, 'connection')) as [Socket];
  const before = socket._handle?.writeQueueSize;
  socket.write(Buffer.alloc(size));
  const after = socket._handle?.writeQueueSize;
  client.destroy();
  socket.destroy();
  server.close();
  return { before, after };
}

async function withFastify(
  check: (instance: FastifyInstance) => boolean | Promise<boolean>,
): Promise<boolean> {
  const instance = fastify();
  try {
    return await check(instance);
  } finally {
    await instance.close();
  }
}
