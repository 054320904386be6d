// One misfortune after the other under a steady load: no 500, no restart, and recovery by itself.
import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../scripts/support/free-port.mjs';
import { require, say } from '../scripts/support/programs.mjs';
import { ask, mixed, refusedProperly, slowest, steadyLoad, succeeded, tally } from './support/client.mjs';
import { connectTo, query, startStore } from './support/database.mjs';
import { isShort, runDrill, until } from './support/drill.mjs';
import { start, startService } from './support/programs.mjs';

const PER_SECOND = 60;
const LASTS_MS = isShort ? 1_000 : 15_000;
const LOG_LINES = 3_000;
const DISK = 'size=16m,mode=755';

await runDrill(async (drill) => {
  const port = String(await freePort());
  const redis = start(drill, require('redis-server', 'redis-server'), ['--port', port, '--save', ''], {
    stdio: 'ignore',
  });
  const settings = { REDIS_URL: `redis://127.0.0.1:${port}`, RATE_LIMIT_PER_KEY: '1000000' };
  const { database, services, key } = await startStore(drill, { settings });
  const [service] = services;
  const { pid, origin } = service;
  const sql = (text) => query(database.url, text);

  /** At least the share of the answers must be successes, the others 503. A cause may return what ends it. */
  async function misfortune(name, share, cause, target = origin) {
    const load = steadyLoad(drill, PER_SECOND, mixed(target, key));
    await until('a request succeeds', () => load.answers.some(succeeded));
    const begun = performance.now();
    const end = await cause();
    if (end) await delay(LASTS_MS);
    await end?.();
    const ended = performance.now();
    const back = await until(`${name}: a create succeeds`, () =>
      load.answers.find(({ at, status, ms }) => at > ended && status === 201 && ms < 500),
    );
    const answers = (await load.finish()).filter(({ at }) => at > begun);
    const wrong = answers.filter((one) => !succeeded(one) && !refusedProperly(one));
    const isEnough = answers.filter(succeeded).length >= answers.length * share;
    drill.figure(
      name,
      `${tally(answers)}; slowest ${slowest(answers)} ms; back after ${Math.round(back.at - ended)} ms`,
    );
    drill.expect(`${name}: ${share * 100} % successes, else a proper 503`, wrong.length === 0 && isEnough);
  }

  await misfortune('DDL while running', 1, async () => {
    const columns = ['ADD more text', 'ALTER name TYPE varchar(255)', 'ALTER name TYPE text', 'DROP more'];
    for (const text of columns) await sql(`ALTER TABLE pets ${text}`).then(() => delay(LASTS_MS / 4));
    await sql('CREATE INDEX CONCURRENTLY more ON pets (name)');
    await sql('DROP INDEX CONCURRENTLY more');
  });
  const locker = await connectTo(drill, database.url);
  await misfortune('a locked table', 0, async () => {
    await locker.query('BEGIN; LOCK TABLE pets');
    return () => locker.query('COMMIT');
  });
  await misfortune('Redis frozen', 1, () => {
    redis.child.kill('SIGSTOP');
    return () => redis.child.kill('SIGCONT');
  });
  await misfortune('connections scarce', 0, async () => {
    const hoarders = [];
    const take = () => connectTo(drill, database.url).then((client) => hoarders.push(client));
    await sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle'");
    await Promise.allSettled(Array.from({ length: 100 }, take)); // max_connections
    return () => Promise.all(hoarders.map((client) => client.end()));
  });
  if (process.getuid() === 0) {
    const disk = mountSmallDisk(drill, database);
    await sql(`CREATE TABLESPACE small LOCATION '${disk.space}'`);
    await sql('ALTER TABLE pets SET TABLESPACE small');
    await misfortune('disk full', 0.5, () => disk.fill());
  } else say('  disk full: SKIPPED, to mount a file system takes the rights of root');

  // A service of its own each, whose log goes to a full disk, or to a pipe that nobody reads.
  for (const [name, output] of Object.entries({ 'log full': openSync('/dev/full', 'w'), 'log stalled': 'pipe' })) {
    const own = { ...settings, DATABASE_URL: database.url, LOG_LEVEL: 'info' };
    const logging = await startService(drill, own, { stdio: ['ignore', output, 'inherit'] });
    const nothing = () => ask(logging.origin, 'GET', '/v1/nothing', { key });
    await misfortune(
      name,
      1,
      async () => {
        logging.child.stdout?.pause();
        for (let i = 0; i < LOG_LINES; i += 20) await Promise.all(Array.from({ length: 20 }, nothing));
      },
      logging.origin,
    );
    await logging.stop();
    drill.expect(`${name}: it ends by itself (${logging.child.exitCode})`, logging.child.exitCode === 0);
  }
  drill.expect('no restart', service.isRunning() && service.pid === pid);
});

function mountSmallDisk(drill, { account }) {
  const folder = mkdtempSync(join(tmpdir(), 'small-'));
  const [space, ballast] = [join(folder, 'space'), join(folder, 'ballast')];
  execFileSync('mount', ['-t', 'tmpfs', '-o', DISK, 'tmpfs', folder]);
  drill.defer(() => {
    execFileSync('umount', ['--lazy', folder]); // the server still uses it
    rmdirSync(folder);
  });
  mkdirSync(space, { mode: 0o700 });
  chownSync(space, account.uid, account.gid);
  const fill = () => {
    const { bavail, bsize } = statfsSync(folder);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize));
    return () => rmSync(ballast);
  };
  return { space, fill };
}
