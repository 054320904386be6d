import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { PGlite } from '@electric-sql/pglite';
import { embed, type EmbeddedDatabase } from '../../src/database/embedded/embedded-database.js';

/** The engines of environment.mjs. Each has an empty database; empty it again before `giveBack`. */
export const { engines } = globalThis as unknown as {
  engines: { start(): Promise<PGlite>; take(): Promise<PGlite>; giveBack(engine: PGlite): void };
};

/** Starts a separate empty database; the caller closes it. */
export async function startEmptyDatabase(): Promise<EmbeddedDatabase> {
  return embed(await engines.start());
}

/** Unpacks an empty database into a folder, for a program under test. */
export async function unpackEmptyDatabase(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // The archive comes from global-setup.mjs.
  await promisify(execFile)('tar', ['-x', '-f', process.env['EMPTY_DATABASE'] ?? '', '-C', folder]);
}
