import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { realpathSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './root.mjs';
import { say } from './say.mjs';

/**
 * Two starts in one checkout must not install or build at the same time. The lock is a listening socket: unlike a
 * file it disappears with its holder, however that ends. The task gets its descriptor for a child to inherit: an
 * `npm ci` that outlives a killed start then still keeps the next one waiting.
 */
export async function oneAtATime(task) {
  const lock = await acquire();
  const waiting = new Set();
  lock?.on('connection', (socket) => waiting.add(socket.on('error', () => {})));
  try {
    // Node has no public way to ask for the descriptor; without it only that last promise is lost.
    const descriptor = lock?._handle?.fd;
    return await task(descriptor > 0 ? descriptor : 'ignore');
  } finally {
    lock?.close();
    for (const socket of waiting) socket.destroy();
  }
}

async function acquire() {
  const address = lockAddress();
  for (let attempt = 1; ; attempt++) {
    const lock = createServer();
    try {
      await once(lock.listen(address), 'listening');
      return lock;
    } catch (error) {
      // The lock only spares trouble; where sockets are not allowed, work without it.
      if (error.code !== 'EADDRINUSE') return null;
    }
    if (attempt === 1) say('Waiting for another start in this folder to finish preparing …');
    await holderGone(address);
  }
}

function lockAddress() {
  const name = `prepare-${createHash('sha256').update(realpathSync(root)).digest('hex').slice(0, 24)}`;
  if (process.platform === 'linux') return `\0${name}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`;
  return join(tmpdir(), `${name}.sock`);
}

/** Resolves when the holder hangs up. */
async function holderGone(address) {
  const socket = connect(address);
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.on('error', (error) => {
    // Only where the socket is a file: its holder was killed and nobody will remove it.
    if (error.code === 'ECONNREFUSED' && address.startsWith(tmpdir())) rmSync(address, { force: true });
  });
  await closed;
}
