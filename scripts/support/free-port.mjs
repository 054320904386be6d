import { once } from 'node:events';
import { createServer } from 'node:net';

/** Returns a free loopback port. Another process may take it before the caller does. */
export async function freePort() {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address();
  await once(server.close(), 'close');
  return port;
}
