import type { PGlite } from '@electric-sql/pglite';
import { mkdir, realpath } from 'node:fs/promises';
import { ConfigError } from '../../common/config/load-config.js';
import type { PgDriver } from '../pg-driver.js';
import { openDataFolder, type OpenFolder } from './data-folder.js';
import { type DirectoryLock, lockDirectory } from './directory-lock.js';
import { Guests } from './guests.js';
import { embeddedDriver } from './pglite-driver.js';
import { PGliteSession } from './pglite-session.js';
import { PGliteStream } from './pglite-stream.js';

export { DatabaseInUseError } from './directory-lock.js';

/**
 * PostgreSQL inside this process, for development and tests.
 *
 * It has one session, so there is one connection at a time. It does not wait for fsync: committed data survives a
 * killed process, but maybe not a power failure.
 */
export interface EmbeddedDatabase {
  /** Replaces the module `pg` in TypeORM's `driver` option. */
  readonly driver: PgDriver;
  /** True when another process has the database open: that one migrates it, and statements must have no names. */
  readonly isGuest: boolean;
  /** Rejects when it must be restarted. */
  check(): Promise<void>;
  /** From now on, command lines of the same user can use the database, too. */
  admitGuests(): void;
  /** Closes the database and unlocks its folder. Until then, pools may be opened and closed one after another. */
  close(): Promise<void>;
}

/**
 * Opens the database in a directory of its own, or creates it.
 *
 * @throws {DatabaseInUseError} while another process has it open
 */
export async function openEmbeddedDatabase(directory: string): Promise<EmbeddedDatabase> {
  const path = await makeDirectory(directory);
  const lock = await lockDirectory(path);
  try {
    const { engine, check } = await openDataFolder(path);
    return embed(engine, lock, check);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

export async function makeDirectory(directory: string): Promise<string> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return await realpath(directory);
  } catch (error) {
    throw new ConfigError([
      `DATABASE_DIR must name a folder that this process can create or write to: ${(error as Error).message}`,
    ]);
  }
}

/** Wraps a running engine. */
export function embed(
  engine: PGlite,
  lock?: DirectoryLock,
  checkFolder?: OpenFolder['check'],
): EmbeddedDatabase {
  const session = new PGliteSession(engine);
  const guests = new Guests(session);
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await guests.haveLeft();
    await engine.close().finally(() => lock?.release());
  };
  return {
    driver: embeddedDriver(() => new PGliteStream(session.client())),
    isGuest: false,
    check: async () => {
      session.check();
      await checkFolder?.();
    },
    admitGuests: () => lock?.admit((visitor) => guests.admit(visitor)),
    close: () => (closing ??= close()),
  };
}
