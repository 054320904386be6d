// One misfortune after the other under a steady load: no 500, no restart, and recovery by itself.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, openSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../scripts/support/free-port.mjs';
import { require, say } from '../scripts/support/programs.mjs';
import { defer, expect, isShort, runDrill, tell } from './support/drill.mjs';
import { ask, endure, mixed, refusedProperly, slowest, succeeded, tally, wrongOf } from './support/load.mjs';
import { connectTo, start, startService, startStore } from './support/programs.mjs';

/** The machine may pause for a moment, too. */
const UNFELT = 0.95;
/** The service may be the first to connect again. */
const UNSURE = 0.01;
const LASTS_MS = isShort ? 1_000 : 15_000;
const LOG_LINES = 3_000;

await runDrill(async () => {
  const port = String(await freePort());
  const redis = start(require('redis-server', 'redis-server'), ['--port', port, '--save', ''], { stdio: 'ignore' });
  const settings = { REDIS_URL: `redis://127.0.0.1:${port}`, RATE_LIMIT_PER_KEY: '1000000' };
  const { database, services, key, sql } = await startStore({ settings });
  const [service] = services;

  /** At least the share of the answers must be successes, the others 503: some, where the misfortune is sure to be felt. */
  async function misfortune(name, share, cause, { origin } = service) {
    const { answers, backMs } = await endure(mixed(origin, key), LASTS_MS, cause);
    const isEnough = answers.filter(succeeded).length >= answers.length * share;
    const isFelt = share === UNFELT || share === UNSURE || answers.some(refusedProperly);
    tell(`${name}: ${tally(answers)}; slowest ${slowest(answers)} ms; back after ${backMs} ms`);
    expect(
      `at least ${share * 100} % successes, else a proper 503`,
      isEnough && isFelt && wrongOf(answers).length === 0,
    );
  }

  await misfortune('DDL while running', UNFELT, async () => {
    const columns = ['ADD more text', 'ALTER name TYPE varchar(255)', 'ALTER name TYPE text', 'DROP more'];
    for (const text of columns) await sql(`ALTER TABLE pets ${text}`).then(() => delay(LASTS_MS / 4));
    await sql('CREATE INDEX CONCURRENTLY more ON pets (name)');
    await sql('DROP INDEX CONCURRENTLY more');
  });
  await misfortune('a locked table', 0, async () => {
    const locker = await connectTo(database);
    await locker.query('BEGIN; LOCK TABLE pets');
    return () => locker.end();
  });
  await misfortune('Redis frozen', UNFELT, () => {
    redis.child.kill('SIGSTOP');
    return () => redis.child.kill('SIGCONT');
  });
  await misfortune('connections scarce', UNSURE, async () => {
    await sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle'");
    const all = await Promise.allSettled(Array.from({ length: 100 }, () => connectTo(database))); // max_connections
    return () => Promise.all(all.map(({ value }) => value?.end()));
  });
  if (process.getuid() === 0) {
    const disk = mountSmallDisk(database);
    await sql(`CREATE TABLESPACE small LOCATION '${disk}'`);
    await sql('ALTER TABLE pets SET TABLESPACE small');
    await sql('ALTER TABLE pets SET (fillfactor = 10)'); // so that a few rows need more of the disk
    await misfortune('disk full', 0.5, () => {
      spawnSync('dd', ['if=/dev/zero', `of=${disk}/ballast`, 'bs=4k']);
      return () => rmSync(`${disk}/ballast`);
    });
  } else say('  disk full: SKIPPED, to mount a file system takes the rights of root');

  // A service of its own each, whose log goes to a full disk, or to a pipe that nobody reads.
  for (const [name, output] of Object.entries({ 'log full': openSync('/dev/full', 'w'), 'log stalled': 'pipe' })) {
    const logged = { ...settings, DATABASE_URL: database.url, LOG_LEVEL: 'info' };
    const logging = await startService(logged, { output });
    const nothing = () => ask(logging.origin, 'GET', '/v1/nothing', { key });
    const write = async () => {
      logging.child.stdout?.pause();
      for (let i = 0; i < LOG_LINES; i += 20) await Promise.all(Array.from({ length: 20 }, nothing));
    };
    await misfortune(name, UNFELT, write, logging);
    await logging.stop();
    expect(`it ends by itself (${logging.child.exitCode})`, logging.child.exitCode === 0);
  }
  expect('no restart', service.isRunning());
});

function mountSmallDisk({ account: { uid, gid } }) {
  const folder = mkdtempSync(join(tmpdir(), 'small-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=16m,mode=700,uid=${uid},gid=${gid}`, 'tmpfs', folder]);
  defer(() => {
    execFileSync('umount', ['--lazy', folder]); // the server still uses it
    rmdirSync(folder);
  });
  return folder;
}
