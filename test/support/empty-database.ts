import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { PGlite } from '@electric-sql/pglite';
import { embed, type EmbeddedDatabase } from '../../src/database/embedded/embedded-database.js';

/** Those of environment.mjs: each has an empty database, and one that is given back is to have one again. */
export const { engines } = globalThis as unknown as {
  engines: { start(): Promise<PGlite>; take(): Promise<PGlite>; giveBack(engine: PGlite): void };
};

/** An empty database to do anything with, and to close. */
export async function startEmptyDatabase(): Promise<EmbeddedDatabase> {
  return embed(await engines.start());
}

/** An empty database as a folder, for a program to find. */
export async function unpackEmptyDatabase(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // global-setup.mjs has made it.
  await promisify(execFile)('tar', ['-x', '-f', process.env['EMPTY_DATABASE'] ?? '', '-C', folder]);
}
