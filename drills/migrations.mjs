import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../scripts/support/root.mjs';
import { query, startPostgres } from './support/postgres.mjs';
import { launchService, ready } from './support/service.mjs';
import { percentile } from './support/statistics.mjs';

export const title = 'replicas that start together on an empty database run each migration once';
export const hasShortForm = true;

const REPLICAS = 8;

export async function run(drill) {
  const rounds = drill.short ? 1 : 20;
  // For the pools of all replicas, with two workers each.
  const cluster = await startPostgres(drill, { max_connections: 300 });
  const common = { KEY_ENVIRONMENT: 'test', LOG_LEVEL: 'fatal' };
  const known = migrationsInTheSource();
  const bootMs = [];
  const failures = [];
  let wrong = 0;
  for (let round = 1; round <= rounds; round++) {
    drill.progress(`round ${round} of ${rounds}: ${REPLICAS} replicas`);
    const url = new URL(cluster.url);
    url.pathname = `/round_${round}`;
    await query(cluster.url, `CREATE DATABASE round_${round}`);
    const started = performance.now();
    const replicas = await Promise.all(
      Array.from({ length: REPLICAS }, () => launchService(drill, { ...common, DATABASE_URL: url.href })),
    );
    const boots = await Promise.allSettled(replicas.map(ready));
    for (const { status, value, reason } of boots) {
      if (status === 'fulfilled') bootMs.push(value - started);
      else failures.push(reason.message);
    }
    const ran = await migrationsIn(url.href);
    if (!sameNames(ran, known)) wrong++;
    await Promise.all(replicas.map(({ stop }) => stop()));
    await query(cluster.url, `DROP DATABASE round_${round} WITH (FORCE)`);
  }
  const boots = rounds * REPLICAS;
  drill.figure('boots', `${boots} (${[failures.length, ...new Set(failures)].join(' ')} failed)`);
  drill.figure(
    `ready, ${REPLICAS} at once`,
    `p50 ${(percentile(bootMs, 0.5) / 1_000).toFixed(1)} s, at most ${(percentile(bootMs, 1) / 1_000).toFixed(1)} s`,
  );
  drill.figure('migrations', known.length);
  drill.expect('every boot succeeds', failures.length === 0 && bootMs.length === boots);
  drill.expect(
    `each migration ran exactly once in each round (wrong in ${wrong})`,
    known.length > 0 && wrong === 0,
  );
}

/** Empty if the migrations table does not exist. */
async function migrationsIn(url) {
  try {
    return (await query(url, 'SELECT name FROM migrations')).map(({ name }) => name);
  } catch (error) {
    if (error.code === '42P01') return [];
    throw error;
  }
}

const sameNames = (some, others) =>
  some.length === others.length && others.every((name) => some.includes(name));

/** The names that TypeORM records: the class name, which ends with the timestamp of the file name. */
function migrationsInTheSource() {
  const files = readdirSync(join(root, 'src'), { recursive: true })
    .map((file) => /migrations[\\/](\d+)-([\w-]+)\.ts$/.exec(file))
    .filter((match) => match !== null && !match[2].endsWith('.spec'));
  return files.map(([, moment, words]) => classNameOf(words) + moment);
}

const classNameOf = (words) => words.replaceAll(/(?:^|-)(\w)/g, (_, letter) => letter.toUpperCase());
