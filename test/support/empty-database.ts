import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A database without anything in it, which global-setup.mjs made. */
const file = () => process.env['EMPTY_DATABASE'] ?? '';

export async function emptyDatabase(): Promise<Blob> {
  return new Blob([await readFile(file())]);
}

/** The same as a folder, for a program to find. */
export async function unpackEmptyDatabase(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await promisify(execFile)('tar', ['-x', '-f', file(), '-C', folder]);
}
