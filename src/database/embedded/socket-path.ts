import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The portable limit of a Unix socket path: 104 bytes on macOS, 108 on Linux, the last one a zero. */
const LONGEST_SOCKET_PATH = 103;

/** Reserved for a slash and the name of a socket. */
const ROOM_FOR_NAME = 32;

/**
 * Calls `work` with a path to the directory that is short enough for sockets in it.
 *
 * Node 20 silently truncates a longer path, so two folders could share one socket. The socket cannot move to the
 * temporary folder, which is often private to a user, a service or a container: two processes on one database would
 * not see each other. The socket therefore stays in the directory, and a temporary symbolic link shortens the path.
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
