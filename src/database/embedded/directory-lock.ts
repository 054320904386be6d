import { randomBytes, randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, readdir, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ConfigError } from '../../common/config/load-config.js';
import { withShortPath } from './socket-path.js';

/** Another process holds the folder. */
export class DatabaseInUseError extends Error {
  override readonly name = 'DatabaseInUseError';

  constructor(
    readonly directory: string,
    readonly pid: number,
  ) {
    super(
      `The embedded database in ${directory} is in use by process ${pid}, and only one process at a time can open it. ` +
        'Stop that process first, or set DATABASE_URL to a PostgreSQL server, which any number of processes can share.',
    );
  }
}

export interface DirectoryLock {
  /** Serves processes that connect to the lock, of the same user. Until then, their connections are closed. */
  admit(serve: (visitor: Socket) => void): void;
  release(): Promise<void>;
}

/**
 * Makes this process the only one that works in the directory, until it releases the lock or dies.
 *
 * A lock is a listening unix socket in the directory: the kernel closes it with the process, however that
 * ends, and one attempt to connect tells a living holder from a leftover. Every contender listens on a socket
 * of its own name first and looks for others second. Of any two, the later one therefore sees the earlier
 * one, and withdraws. Nobody ever takes over a name, which is where two that race for a dead holder's lock
 * could both win. Two that see each other both withdraw and try again, after a random pause.
 *
 * It works between containers that share the folder, not between machines: keep the folder on a local disk.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  for (let attempt = 1; ; attempt++) {
    const contender = await announce(directory);
    const others = await findSockets(directory, contender.name);
    const rival = others.find((other) => other.alive);
    if (!rival && contender.isVisible()) {
      await removeLeftovers(directory, others);
      return contender;
    }
    await contender.release();
    if (rival && attempt >= ATTEMPTS) throw new DatabaseInUseError(directory, rival.pid);
    await pause(randomInt(10, 50 * attempt));
  }
}

/** The last ones are some hundred milliseconds apart: enough for many that start in the same moment. */
const ATTEMPTS = 8;

interface Contender extends DirectoryLock {
  readonly name: string;
  /** False when another one took the socket for a leftover, in the instant before it listened. */
  isVisible(): boolean;
}

async function announce(directory: string): Promise<Contender> {
  const name = `lock-${process.pid}-${randomBytes(4).toString('hex')}`;
  const path = join(directory, name);
  const visitors = new Set<Socket>();
  let serve = (visitor: Socket): void => void visitor.destroy();
  const receive = (visitor: Socket): void => {
    visitors.add(visitor.on('error', () => {}));
    visitor.once('close', () => visitors.delete(visitor));
    serve(visitor);
  };
  const server = await withShortPath(directory, async (short) => {
    const listening = await listen(join(short, name), receive);
    await chmod(path, 0o600);
    return listening;
  }).catch((cause: unknown) => {
    throw new ConfigError([
      `DATABASE_DIR must be writable, and on a local file system with unix sockets: ${String(cause)}`,
    ]);
  });
  return {
    name,
    isVisible: () => existsSync(path),
    admit: (visit) => {
      serve = visit;
    },
    release: async () => {
      for (const visitor of visitors) visitor.destroy();
      await new Promise((resolve) => server.close(resolve));
      await rm(path, { force: true });
    },
  };
}

function listen(path: string, receive: (visitor: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer(receive);
    server.once('error', reject);
    // Exclusive: in a cluster the primary process would listen instead, and outlive the worker.
    server.listen({ path, exclusive: true }, () => resolve(server.unref()));
  });
}

/** The socket of the process that has locked the directory, or is about to. */
export async function findHolder(directory: string): Promise<{ name: string; pid: number } | undefined> {
  return (await findSockets(directory)).find(({ alive }) => alive);
}

interface FoundSocket {
  readonly name: string;
  readonly pid: number;
  readonly alive: boolean;
}

async function findSockets(directory: string, own?: string): Promise<FoundSocket[]> {
  const names = (await readdir(directory)).filter((name) => name !== own);
  return withShortPath(directory, async (short) => {
    const found: FoundSocket[] = [];
    for (const name of names) {
      const pid = /^lock-(\d+)-[0-9a-f]{8}$/.exec(name)?.[1];
      if (pid) found.push({ name, pid: Number(pid), alive: await isAlive(join(short, name)) });
    }
    return found;
  });
}

/** The kernel answers, so a holder that is busy or stopped counts as alive; so does one that may not be asked. */
function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const visitor = connect(path);
    visitor.once('connect', () => {
      visitor.destroy();
      resolve(true);
    });
    visitor.once('error', ({ code }: NodeJS.ErrnoException) => {
      resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT');
    });
  });
}

async function removeLeftovers(directory: string, leftovers: FoundSocket[]): Promise<void> {
  await Promise.all(leftovers.map(({ name }) => rm(join(directory, name), { force: true })));
}
