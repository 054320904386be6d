import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What fits into the address of a unix socket everywhere: macOS has 104 bytes, Linux 108, the last one a zero. */
const LONGEST_SOCKET_PATH = 103;

/** Left for the name of a socket, with the slash before it. */
const ROOM_FOR_NAME = 32;

/**
 * Calls `work` with a path of the directory that is short enough for the sockets in it.
 *
 * Node 20 cuts a longer path off without a word, so that two folders would share one socket. A socket that
 * lives elsewhere, say under the temporary folder with a hash as its name, would not do: that folder is often
 * private to a user, a service or a container, and two processes on one database would miss each other. So the
 * socket stays in the directory whatever the length, and only the way there is abbreviated, by a symbolic
 * link that nobody else needs to find.
 */
export async function withShortPath<T>(
  directory: string,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  if (Buffer.byteLength(directory) + ROOM_FOR_NAME <= LONGEST_SOCKET_PATH) return work(directory);

  const shortcuts = await mkdtemp(join(tmpdir(), 'db-'));
  try {
    const shortcut = join(shortcuts, 'd');
    await symlink(directory, shortcut);
    return await work(shortcut);
  } finally {
    await rm(shortcuts, { recursive: true });
  }
}
