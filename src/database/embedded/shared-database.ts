import { once } from 'node:events';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseInUseError, findHolder } from './directory-lock.js';
import { type EmbeddedDatabase, makeDirectory, openEmbeddedDatabase } from './embedded-database.js';
import { embeddedDriver } from './pglite-driver.js';
import { withShortPath } from './socket-path.js';

/** Longer than a service takes to start. */
const PATIENCE_MS = 10_000;
const RETRY_MS = 100;

/** For command lines: uses the database through the process that has it open, or else opens it. */
export async function shareEmbeddedDatabase(directory: string): Promise<EmbeddedDatabase> {
  const path = await makeDirectory(directory);
  for (const end = performance.now() + PATIENCE_MS; ; await pause(RETRY_MS)) {
    const holder = await findHolder(path);
    try {
      if (!holder) return await openEmbeddedDatabase(path);
      return await visit(path, holder.name);
    } catch (error) {
      // The process that has it is starting or ending.
      if (!holder && !(error instanceof DatabaseInUseError)) throw error;
      if (performance.now() < end) continue;
      throw holder ? new DatabaseInUseError(path, holder.pid) : error;
    }
  }
}

async function visit(directory: string, name: string): Promise<EmbeddedDatabase> {
  const driver = embeddedDriver(() => new SocketOfHolder(directory, name));
  // Between the connections of pools, too, a holder that ends is to wait.
  const presence = new driver.Client();
  presence.on('error', () => {}); // the holder is gone, as the pools find out
  await presence.connect();
  return { driver, isGuest: true, check: async () => {}, admitGuests: () => {}, close: () => presence.end() };
}

/** pg connects it. */
class SocketOfHolder extends Socket {
  constructor(
    private readonly directory: string,
    private readonly lock: string,
  ) {
    super();
  }

  override connect(): this {
    withShortPath(this.directory, async (short) => {
      super.connect(join(short, this.lock));
      await once(this, 'connect');
    }).catch((error: Error) => void this.destroy(error));
    return this;
  }
}
