import { PGlite } from '@electric-sql/pglite';
import { existsSync } from 'node:fs';
import { chmod, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Opens the database `data` in the directory, which must be locked; makes it if it is not there. */
export async function openDataFolder(directory: string): Promise<PGlite> {
  const folder = join(directory, 'data');
  if (!existsSync(folder)) await createDataFolder(folder);
  await chmod(folder, 0o700);
  return startEngine(folder);
}

/** A process that is killed while it makes a database leaves a folder that is not called `data`. */
async function createDataFolder(folder: string): Promise<void> {
  const unfinished = `${folder}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  const engine = await startEngine(unfinished);
  await engine.close();
  await rename(unfinished, folder);
}

/** Starts PGlite; when it cannot, the error says what PostgreSQL gave as the reason. */
async function startEngine(dataDir: string): Promise<PGlite> {
  const reasons: string[] = [];
  try {
    return await PGlite.create({
      dataDir,
      // There is no checkpointer: this is how much log a CHECKPOINT leaves for reuse.
      startParams: [...PGlite.defaultStartParams, '-c', 'max_wal_size=64MB'],
      onStderr: (line) => {
        if (/FATAL|PANIC/.test(line)) reasons.push(line);
        return false;
      },
    });
  } catch (cause) {
    throw new Error(`Cannot start the embedded database ${dataDir}: ${reasons.at(-1) ?? String(cause)}`, {
      cause,
    });
  }
}
