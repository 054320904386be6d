import { PGlite } from '@electric-sql/pglite';
import { existsSync } from 'node:fs';
import { access, chmod, constants, mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

export interface OpenFolder {
  readonly engine: PGlite;
  /** Rejects when the folder cannot keep what the engine acknowledges. */
  readonly check: () => Promise<void>;
}

/** Opens the database in the folder `data` of a locked directory, or creates it. */
export async function openDataFolder(directory: string): Promise<OpenFolder> {
  const folder = join(directory, 'data');
  if (!existsSync(folder)) await createDataFolder(folder);
  await chmod(folder, 0o700);
  const engine = await startEngine(folder);
  const opened = await identityOf(folder);
  /** The engine goes on writing to files that it has open, also to deleted ones. */
  const check = async (): Promise<void> => {
    await access(folder, constants.W_OK);
    if ((await identityOf(folder)) !== opened) throw new Error(`${folder} has been replaced`);
  };
  return { engine, check };
}

/** With the time, because the number of a deleted file may be used again. */
async function identityOf(folder: string): Promise<string> {
  const { ino, birthtimeMs } = await stat(join(folder, 'PG_VERSION'));
  return `${ino} ${birthtimeMs}`;
}

/** Creates the database under another name and renames it, so that a kill never leaves a partial `data`. */
async function createDataFolder(folder: string): Promise<void> {
  const unfinished = `${folder}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  const engine = await startEngine(unfinished);
  await engine.close();
  await rename(unfinished, folder);
}

/** Starts PGlite. The error of a failed start holds PostgreSQL's reason, which PGlite only prints. */
async function startEngine(dataDir: string): Promise<PGlite> {
  const reasons: string[] = [];
  try {
    return await PGlite.create({
      dataDir,
      // PGlite has no checkpointer: this bounds the WAL that a CHECKPOINT keeps for reuse.
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
