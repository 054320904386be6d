import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import pg from 'pg';
import { root, say } from '../scripts/support/programs.mjs';

/** One animal in a hundred is sold, two in ten are pending. */
const FILL = `
  INSERT INTO pets (name, category_id, status)
  SELECT 'Animal ' || i, i % 50 + 1,
    CASE WHEN i % 100 = 0 THEN 'sold' WHEN i % 5 = 1 THEN 'pending' ELSE 'available' END
  FROM generate_series($1::int, $2::int) AS i`;
const PART = 1_000_000;

/** A database with so many animals, and a key. */
export async function fillDatabase(postgres, rows) {
  const name = `animals_${rows}`;
  const url = Object.assign(new URL(postgres.url), { pathname: name }).href;
  await query(postgres.url, `CREATE DATABASE ${name}`);
  const env = { ...process.env, DATABASE_URL: url, KEY_ENVIRONMENT: 'test', LOG_LEVEL: 'error' };
  const run = (program, ...args) =>
    execFileSync(process.execPath, [join(root, program), ...args], { env, encoding: 'utf8' }).trim();
  run('scripts/seed.mjs', '--count', '1'); // migrates
  const key = run('dist/auth/keys.cli.js', 'issue', '--name', 'bench', '--quiet');
  for (let from = 2; from <= rows; from += PART) {
    const to = Math.min(rows, from + PART - 1);
    say(`adding animals ${from.toLocaleString('en')} to ${to.toLocaleString('en')}`);
    await query(url, FILL, [from, to]);
  }
  await settle(url);
  return { url, key, rows };
}

/** Does at once what PostgreSQL has to do after many changes. Otherwise it would disturb whoever is measured next. */
export async function settle(url) {
  for (const command of ['VACUUM ANALYZE', 'CHECKPOINT']) await query(url, command);
}

async function query(url, text, values) {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(text, values).finally(() => client.end());
}
