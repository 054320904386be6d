import { execFileSync, spawn } from 'node:child_process';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../scripts/support/free-port.mjs';
import { postgresBinaries } from '../scripts/support/postgres-binaries.mjs';
import { root } from '../scripts/support/root.mjs';
import { accepting, query, startPostgres } from './support/postgres.mjs';

export const hasShortForm = true;
export const title = 'the archive of the write-ahead log leads back to the moment before a mistake';

export async function run(drill) {
  const cluster = await startPostgres(drill);
  const { url, folder, account } = cluster;
  const page = await readFile(join(root, 'docs', 'operating.md'), 'utf8');
  const commands = (first) => new RegExp(`(?<=\`\`\`sh\n)${first}.*?(?=\`\`\`)`, 's').exec(page)[0];
  const env = { ...process.env, PATH: `${postgresBinaries()}:${process.env.PATH}`, SUPERUSER_URL: url };
  const shell = { ...account, env, cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] };

  drill.progress('the log is archived, and a base backup taken');
  const archiving = spawn('sh', ['-euc', `${commands('psql "\\$SUPERUSER_URL" -c "SELECT pg_create')}wait`], {
    ...shell,
    detached: true,
  });
  const { pid = 0 } = archiving;
  drill.defer(() => process.kill(-pid)); // what the shell began outlives it
  archiving.stdout.setEncoding('utf8');
  let told = '';
  archiving.stdout.on('data', (text) => (told += text));
  drill.defer(() => archiving.stdout.destroy());
  const isWhole = () => told.includes('backup successfully verified');
  await within(30_000, 'a base backup', () => isWhole() || archiving.exitCode !== null);
  if (!isWhole()) throw new Error(`The base backup failed: ${told}`);

  await query(url, 'CREATE TABLE kept AS SELECT generate_series(1, 1000) AS id');
  // The archive has whole files, and one that is not.
  for (const statement of ['SELECT pg_switch_wal()', 'CHECKPOINT']) await query(url, statement);
  const [{ moment }] = await query(url, 'SELECT clock_timestamp()::text AS moment');
  await delay(100);
  await query(url, 'DELETE FROM kept');
  await archived(url);

  drill.progress('a copy returns to the moment before the mistake');
  const port = await freePort();
  await appendFile(join(folder, 'base', 'postgresql.conf'), `port = ${port}\n`);
  const restore = commands('touch base/recovery.signal')
    .replaceAll('/backup/wal', join(folder, 'wal'))
    .replace(/(?<=recovery_target_time = ').*(?=')/, moment);
  const base = join(folder, 'base');
  drill.defer(() => execFileSync('pg_ctl', ['stop', '-m', 'immediate', '-D', base], shell));
  execFileSync('sh', ['-euc', restore], { ...shell, stdio: 'ignore' });
  const restored = Object.assign(new URL(url), { port }).href;
  await accepting(restored);
  const [{ rows }] = await query(restored, 'SELECT count(*)::int AS rows FROM kept');
  drill.figure('rows before the mistake', rows);
  drill.expect('nothing is missing', rows === 1000);
}

/** Resolves once the archive has everything until now. */
async function archived(url) {
  const [{ now }] = await query(url, 'SELECT pg_current_wal_lsn() AS now');
  const has = 'SELECT bool_and(write_lsn >= $1) AS has FROM pg_stat_replication';
  await within(60_000, 'the log in the archive', async () => (await query(url, has, [now]))[0].has);
}

async function within(ms, what, holds) {
  for (const end = performance.now() + ms; !(await holds()); await delay(50))
    if (performance.now() > end) throw new Error(`Not within ${ms / 1_000} s: ${what}`);
}
