import { mkdir, rename, writeFile } from 'node:fs/promises';
import { existsSync, readFileSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';

/**
 * Making an empty database takes seconds, loading one a fraction of that. So one is made, once, and kept with the
 * installed packages; every test file loads it into a database of its own.
 */
export default async function prepareEmptyDatabase() {
  const { version } = JSON.parse(readFileSync('node_modules/@electric-sql/pglite/package.json', 'utf8'));
  const folder = 'node_modules/.cache/animal-store';
  const file = `${folder}/empty-database-${version}.tar`;
  if (!process.env.DATABASE_URL && !existsSync(file)) {
    await mkdir(folder, { recursive: true });
    const engine = await PGlite.create({
      startParams: [...PGlite.defaultStartParams, '-c', 'max_wal_size=64MB'],
    });
    const snapshot = await engine.dumpDataDir('none');
    await engine.close();
    await writeFile(`${file}.${process.pid}`, Buffer.from(await snapshot.arrayBuffer()));
    await rename(`${file}.${process.pid}`, file);
  }
  process.env.EMPTY_DATABASE = file;
}
