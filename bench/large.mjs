import { totalmem } from 'node:os';
import { createsOverTime } from './creates-over-time.mjs';
import { query, startDatabase } from './database.mjs';
import { CREATE, ONE, PAGES } from './flat.mjs';
import { migrationsUnderLoad } from './migrations-under-load.mjs';
import { largePage } from './report/large-page.mjs';
import { describeMachine, writePage } from './report/write.mjs';
import { compareSides, prepareSides } from './sides.mjs';
import { TARGETS } from './workloads.mjs';

const WORKLOADS = [
  ...PAGES,
  { name: 'page', title: 'a random position', request: (rows) => [`/v1/pets?limit=20&after=${rows >> 1}`] },
  ONE,
  CREATE,
];

/** The memory holds the table and its primary key, which every read of one animal needs. Checkpoints are rarer. */
const SETTINGS = {
  shared_buffers: `${Math.round((totalmem() * 0.55) / 1024 ** 2)}MB`,
  max_wal_size: '16GB',
  maintenance_work_mem: '1GB',
  log_checkpoints: 'on',
  log_autovacuum_min_duration: '0',
};

/** A large table: each operation beside a small one, creates for minutes, and migrations under load. */
export async function run(bench, form) {
  const postgres = await startDatabase(bench, SETTINGS);
  const sides = await prepareSides(bench, postgres, form.largeRows, WORKLOADS);
  for (const { database } of sides) await readIntoMemory(bench, database);
  const compared = await compareSides(bench, form, sides, WORKLOADS, TARGETS.large);
  const [few, many] = sides;
  await few.service.stop();
  const perSecond = Math.floor(compared.find(({ name }) => name === CREATE.name).many.median / 2);
  const periods = await createsOverTime(bench, form.creates, postgres, many, perSecond);
  const migrations = await migrationsUnderLoad(bench, form.migrations, many, perSecond);
  if (!form.isWhole) return;
  const machine = describeMachine(postgres.version);
  const parts = { sides, compared, periods, migrations, perSecond, settings: SETTINGS, form, machine };
  await writePage('large.md', largePage(parts));
  bench.progress('written: docs/performance/large.md');
}

/** As weeks of reads would. */
async function readIntoMemory(bench, { url, rows }) {
  bench.progress(`reading ${rows.toLocaleString('en')} animals into memory`);
  await query(url, 'CREATE EXTENSION pg_prewarm');
  await query(url, "SELECT pg_prewarm('pets_status_id'), pg_prewarm('pets'), pg_prewarm('pets_pkey')");
}
