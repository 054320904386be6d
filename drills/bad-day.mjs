// One misfortune after the other under a steady load: no 500, no restart, and recovery by itself.
import { spawnSync } from 'node:child_process';
import { openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../scripts/support/free-port.mjs';
import { require } from '../scripts/support/programs.mjs';
import { defer, expect, isShort, runDrill, tell } from './support/drill.mjs';
import { ask, closedLoop, endure, expectProper, mixed, succeeded } from './support/load.mjs';
import { start, startService, startStore } from './support/programs.mjs';

/** What does not concern a request makes no difference to it; but a shared machine may pause meanwhile. */
const UNFELT = 0.95;
const LASTS_MS = isShort ? 1_000 : 15_000;
const CONNECTIONS = 100; // max_connections
const LOG_LINES = 3_000;
const END_SESSIONS = `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`;

await runDrill(async () => {
  const port = String(await freePort());
  const redis = start(require('redis-server', 'redis-server'), ['--port', port, '--save', ''], { stdio: 'ignore' });
  const settings = { REDIS_URL: `redis://127.0.0.1:${port}`, RATE_LIMIT_PER_KEY: '1000000' };
  const { database, services, key, pool, sql } = await startStore({ settings });
  const [service] = services;

  /** At least the share of the answers must be successes, and where it is smaller, not all: it has to be felt. */
  async function misfortune(name, share, begin, end = () => {}, { origin } = service) {
    const { answers, backMs } = await endure(mixed(origin, key), LASTS_MS, begin, end);
    const successes = answers.filter(succeeded).length / answers.length;
    const isRight = successes >= share && (share >= UNFELT || successes < 1);
    expect(`${name}: ${successes.toFixed(2)} succeed, of at least ${share}; back after ${backMs} ms`, isRight);
    expectProper(answers);
  }

  const changeTable = async () => {
    const columns = ['ADD more text', 'ALTER name TYPE varchar(255)', 'ALTER name TYPE text', 'DROP more'];
    for (const text of columns) await sql(`ALTER TABLE pets ${text}`).then(() => delay(LASTS_MS / 4));
    await sql('CREATE INDEX CONCURRENTLY more ON pets (name)');
    await sql('DROP INDEX CONCURRENTLY more');
  };
  await misfortune('DDL while running', UNFELT, changeTable);
  const locker = await pool.connect();
  const lock = () => locker.query('BEGIN; LOCK TABLE pets');
  await misfortune('a locked table', 0, lock, () => locker.release(true));
  const signalRedis = (name) => () => redis.child.kill(name);
  await misfortune('Redis frozen', UNFELT, signalRedis('SIGSTOP'), signalRedis('SIGCONT'));
  const crowd = [];
  const takeConnections = async () => {
    service.child.kill('SIGSTOP'); // or it is the first to connect again
    await sql(END_SESSIONS);
    crowd.push(...(await Promise.all(Array.from({ length: CONNECTIONS }, () => pool.connect()))));
    service.child.kill('SIGCONT');
  };
  await misfortune('no connection is left', 0, takeConnections, () => crowd.forEach((client) => client.release(true)));
  const { uid, gid } = database.account;
  const disk = join(database.data, '../small');
  const options = `X-mount.mkdir,size=16m,mode=700,uid=${uid},gid=${gid}`;
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', disk]).status === 0) {
    defer(() => spawnSync('umount', ['--lazy', disk])); // the server still uses it
    await sql(`CREATE TABLESPACE small LOCATION '${disk}'`);
    await sql('ALTER TABLE pets SET TABLESPACE small');
    await sql('ALTER TABLE pets SET (fillfactor = 10)'); // so that a few rows need more of the disk
    const ballast = join(disk, 'ballast');
    const fill = () => spawnSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=4k']);
    await misfortune('disk full', 0.5, fill, () => rmSync(ballast));
  } else tell('disk full: SKIPPED, to mount a file system takes the rights of root');

  // A service of its own each, whose log goes to a full disk, or to a pipe that nobody reads.
  for (const [name, output] of Object.entries({ 'log full': openSync('/dev/full', 'w'), 'log stalled': 'pipe' })) {
    const logged = { ...settings, DATABASE_URL: database.url, LOG_LEVEL: 'info' };
    const logging = await startService(logged, { output });
    const writeLog = () => {
      logging.child.stdout?.pause();
      return closedLoop(20, () => ask(logging.origin, 'GET', '/v1/nothing', { key }), LOG_LINES).ended;
    };
    await misfortune(name, UNFELT, writeLog, undefined, logging);
    await logging.stop();
    expect(`it ends by itself (${logging.child.exitCode})`, logging.child.exitCode === 0);
  }
  expect('no restart', service.isRunning());
});
