import { mkdir, rename, writeFile } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { bundlePackages } from './packages.mjs';

export default async function prepareTests() {
  await Promise.all([prepareEmptyDatabase(), bundlePackages()]);
}

/** Raised when what is made here changes, so that nobody keeps loading what was made before. */
const FORM = 3;

/**
 * Making an empty database takes seconds, loading one a fraction of that. So one is made, once, and kept with the
 * installed packages; tests load it. All of it is read and copied each time, so it is as small as it can be: with a
 * short log, and without the databases that others are made from.
 */
async function prepareEmptyDatabase() {
  const { version } = JSON.parse(readFileSync('node_modules/@electric-sql/pglite/package.json', 'utf8'));
  const folder = 'node_modules/.cache/animal-store';
  const file = `${folder}/empty-database-${version}-${FORM}.tar`;
  if (!existsSync(file)) {
    await mkdir(folder, { recursive: true });
    const engine = await PGlite.create({
      startParams: [...PGlite.defaultStartParams, '-c', 'min_wal_size=2MB', '-c', 'max_wal_size=2MB'],
      initDbStartParams: ['--wal-segsize=1'],
    });
    await engine.query('UPDATE pg_database SET datistemplate = false');
    for (const template of ['template0', 'template1']) await engine.query(`DROP DATABASE ${template}`);
    // What lies behind a checkpoint is removed at the next one, a file of the log at a time.
    for (let i = 0; i < 8; i++) await engine.exec('SELECT pg_switch_wal(); CHECKPOINT');
    const snapshot = await engine.dumpDataDir('none');
    await engine.close();
    await writeFile(`${file}.${process.pid}`, Buffer.from(await snapshot.arrayBuffer()));
    await rename(`${file}.${process.pid}`, file);
  }
  process.env.EMPTY_DATABASE = file;
}
