import type { PGlite } from '@electric-sql/pglite';
import { mkdir, realpath } from 'node:fs/promises';
import { openDataFolder } from './data-folder.js';
import { lockDirectory } from './directory-lock.js';
import { createDriver } from './pglite-driver.js';
import { PGliteSession } from './pglite-session.js';

export { DatabaseInUseError } from './directory-lock.js';

/**
 * PostgreSQL inside this process, for development, trying out and tests.
 *
 * It has one session, so there is one connection at a time. It does not wait for the disk: a killed process
 * loses nothing that was committed, a power failure may.
 */
export interface EmbeddedDatabase {
  /** What TypeORM's `driver` option takes in place of the module `pg`. */
  readonly driver: unknown;
  /** Closes the database and frees its folder. Pools may come and go before that, one after the other. */
  close(): Promise<void>;
}

/**
 * Opens the database in a directory, and makes it the first time. The directory holds nothing else.
 *
 * @throws {DatabaseInUseError} while another process has it open
 */
export async function openEmbeddedDatabase(directory: string): Promise<EmbeddedDatabase> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = await realpath(directory);
  const lock = await lockDirectory(path);
  try {
    return embed(await openDataFolder(path), () => lock.release());
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Makes a database of an engine that runs. */
export function embed(engine: PGlite, release: () => Promise<void> = async () => {}): EmbeddedDatabase {
  const session = new PGliteSession(engine);
  let closing: Promise<void> | undefined;
  return {
    driver: createDriver(session),
    close: () => (closing ??= engine.close().finally(release)),
  };
}
