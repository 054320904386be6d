import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { realpathSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './root.mjs';
import { say } from './say.mjs';

/**
 * Prevents concurrent installs and builds in one checkout. The lock is a listening socket, which the kernel releases
 * however the process ends. Children inherit its descriptor, so an `npm ci` that outlives a killed parent keeps the lock.
 */
export async function oneAtATime(task) {
  const lock = await acquire();
  const waiting = new Set();
  lock?.on('connection', (socket) => waiting.add(socket.on('error', () => {})));
  try {
    // Node.js has no public API for the descriptor. Without it, children do not keep the lock.
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
      // Where sockets are not allowed, works without the lock.
      if (error.code !== 'EADDRINUSE') return null;
    }
    if (attempt === 1) say('Waiting for another process to finish installing or building in this folder …');
    await holderGone(address);
  }
}

function lockAddress() {
  const name = `prepare-${createHash('sha256').update(realpathSync(root)).digest('hex').slice(0, 24)}`;
  if (process.platform === 'linux') return `\0${name}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`;
  return join(tmpdir(), `${name}.sock`);
}

/** Resolves when the holder closes the connection. */
async function holderGone(address) {
  const socket = connect(address);
  const closed = new Promise((resolve) => socket.on('close', resolve));
  socket.on('error', (error) => {
    // Only for sockets in the file system: the holder was killed and left its file behind.
    if (error.code === 'ECONNREFUSED' && address.startsWith(tmpdir())) rmSync(address, { force: true });
  });
  await closed;
}
