import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** A free port of loopback, below those that Linux gives to connections, so that none takes it before the caller does. */
export async function freePort() {
  const server = createServer().listen(randomInt(10_081, 32_768), '127.0.0.1');
  try {
    await once(server, 'listening');
    return server.address().port;
  } catch {
    return freePort();
  } finally {
    server.close();
  }
}
