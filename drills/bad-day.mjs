// One misfortune after the other under a steady load: no 500, no restart, and recovery by itself.
import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, openSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
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
const LASTS_MS = isShort ? 1_200 : 15_000;
const LOG_LINES = 4_000;
/** Everything, while the database is as it should be. */
const ALL = 1;

await runDrill(async (drill) => {
  require('redis-server', 'redis-server');
  const port = await freePort();
  const redis = start(drill, 'redis-server', ['--port', String(port), '--save', '', '--appendonly', 'no'], {
    stdio: 'ignore',
  });
  const settings = { REDIS_URL: `redis://127.0.0.1:${port}`, RATE_LIMIT_PER_KEY: '1000000' };
  const { database, services, key, origin } = await startStore(drill, { settings });
  const [service] = services;
  const { pid } = service;
  const sql = (text) => query(database.url, text);

  /** At least the share of the answers must be successes, and all of them after the end. */
  async function misfortune(name, share, cause, target = origin) {
    const load = steadyLoad(drill, PER_SECOND, mixed(target, key));
    await until('a request succeeds', () => load.answers.some(succeeded));
    const begun = performance.now();
    const end = await cause();
    if (end) await delay(LASTS_MS);
    await end?.();
    const ended = performance.now();
    const isBack = ({ at, status, ms }) => at > ended && status === 201 && ms < 500;
    await until(`${name}: creates succeed again`, () => load.answers.some(isBack));
    const back = Math.round(load.answers.find(isBack).at - ended);
    const answers = (await load.finish()).filter(({ at }) => at > begun);
    const wrong = answers.filter((one) => !succeeded(one) && !refusedProperly(one));
    const good = answers.filter(succeeded).length / answers.length;
    drill.figure(name, `${tally(answers)}; slowest ${slowest(answers)} ms; back after ${back} ms`);
    const successes = `${Math.round(good * 100)} % successes, at least ${share * 100} %`;
    drill.expect(
      `${name}: ${successes}; other than a proper 503: ${tally(wrong)}`,
      wrong.length === 0 && good >= share,
    );
  }

  await misfortune('DDL while running', ALL, async () => {
    for (const text of [
      'ADD COLUMN more text',
      'ALTER COLUMN name TYPE varchar(255)',
      'ALTER COLUMN name TYPE text',
      'DROP COLUMN more',
    ])
      await sql(`ALTER TABLE pets ${text}`).then(() => delay(LASTS_MS / 4));
    await sql('CREATE INDEX CONCURRENTLY more ON pets (name)');
    await sql('DROP INDEX CONCURRENTLY more');
  });

  const locker = await connectTo(drill, database.url);
  await misfortune('a locked table', 0, async () => {
    await locker.query('BEGIN; LOCK TABLE pets');
    return () => locker.query('COMMIT');
  });

  await misfortune('Redis frozen', ALL, () => {
    redis.child.kill('SIGSTOP');
    return () => redis.child.kill('SIGCONT');
  });

  const hoarders = [];
  await misfortune('connections scarce', 0, async () => {
    const [{ setting }] = await sql("SELECT setting::int FROM pg_settings WHERE name = 'max_connections'");
    const take = () => connectTo(drill, database.url).then((client) => hoarders.push(client));
    await sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle' AND pid <> pg_backend_pid()",
    );
    await Promise.allSettled(Array.from({ length: setting }, take));
    return () => Promise.all(hoarders.map((client) => client.end()));
  });

  const disk = mountSmallDisk(drill, database);
  if (disk) {
    await sql(`CREATE TABLESPACE small LOCATION '${disk.folder}'`);
    await sql('ALTER TABLE pets SET TABLESPACE small');
    await misfortune('disk full', 0.5, () => {
      disk.fill();
      return () => disk.empty();
    });
  }

  await logs(drill, { settings: { ...settings, DATABASE_URL: database.url }, key, misfortune });
  const { status } = await ask(origin, 'GET', '/health/live');
  drill.expect('no restart, and the service lives', status === 200 && service.isRunning() && service.pid === pid);
});

/** A service of its own each, since its log goes to the disk that is full, and to the pipe that nobody reads. */
async function logs(drill, { settings, key, misfortune }) {
  for (const [name, output] of [
    ['log full', openSync('/dev/full', 'w')],
    ['log stalled', 'pipe'],
  ]) {
    const options = { stdio: ['ignore', output, 'inherit'] };
    const service = await startService(drill, { ...settings, LOG_LEVEL: 'info' }, options);
    await misfortune(
      name,
      ALL,
      async () => {
        service.child.stdout?.pause();
        for (let i = 0; i < LOG_LINES; i += 100)
          await Promise.all(Array.from({ length: 100 }, () => ask(service.origin, 'GET', `/v1/nothing/${i}`, { key })));
      },
      service.origin,
    );
    drill.expect(`${name}: the service lives`, service.isRunning());
    service.child.stdout?.resume();
    await service.stop();
    drill.expect(`${name}: it ends by itself (${service.child.exitCode})`, service.child.exitCode === 0);
  }
}

/** A file system of 8 MB, undefined without the right to mount one. */
function mountSmallDisk(drill, { account }) {
  const folder = mkdtempSync(join(tmpdir(), 'small-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=755', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return void say('  disk full: SKIPPED, to mount a file system takes the rights of root on Linux');
  }
  drill.defer(() => {
    execFileSync('umount', ['--lazy', folder]);
    rmSync(folder, { recursive: true });
  });
  const [space, ballast] = [join(folder, 'space'), join(folder, 'ballast')];
  mkdirSync(space, { mode: 0o700 });
  if (account.uid) {
    chownSync(space, account.uid, account.gid);
    execFileSync('chmod', ['755', folder]);
  }
  return {
    folder: space,
    fill() {
      const { bavail, bsize } = statfsSync(folder);
      writeFileSync(ballast, Buffer.alloc(bavail * bsize));
    },
    empty: () => rmSync(ballast),
  };
}
