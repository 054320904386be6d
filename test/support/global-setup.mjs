import { mkdir, rename, writeFile } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { bundlePackages } from './packages.mjs';

export default async function prepareTests() {
  await Promise.all([prepareEmptyDatabase(), bundlePackages()]);
}

/** Increment when the content of the archive changes, to invalidate cached ones. */
const FORM = 3;

/**
 * Creates an empty database once and caches it beside the installed packages, because loading one takes a fraction of
 * the seconds that initdb takes. Every load copies all of it, so it is small: a short WAL and no template databases.
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
    // Each checkpoint removes one obsolete WAL segment.
    for (let i = 0; i < 8; i++) await engine.exec('SELECT pg_switch_wal(); CHECKPOINT');
    const snapshot = await engine.dumpDataDir('none');
    await engine.close();
    await writeFile(`${file}.${process.pid}`, Buffer.from(await snapshot.arrayBuffer()));
    await rename(`${file}.${process.pid}`, file);
  }
  process.env.EMPTY_DATABASE = file;
}
