import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Above the last port that fetch and browsers refuse to talk to (10080, of a backup protocol). */
const FIRST = 10_081;

/**
 * Returns a free loopback port. It is below those that Linux gives out by itself from 32768 on: one of these could
 * become another test's, or the source of a connection, before the caller listens on it.
 */
export async function freePort() {
  for (let attempt = 1; ; attempt++) {
    const port = randomInt(FIRST, 32_768);
    const server = createServer();
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening');
    } catch (error) {
      if (attempt === 100) throw error;
      continue;
    }
    await once(server.close(), 'close');
    return port;
  }
}
