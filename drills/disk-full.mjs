import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { failed, refusedProperly, slowest, succeeded, tally } from './support/answers.mjs';
import { query } from './support/postgres.mjs';
import { RawClient } from './support/raw-client.mjs';
import { startService } from './support/service.mjs';
import { setUp } from './support/set-up.mjs';
import { mixedRequests, SteadyLoad } from './support/steady-load.mjs';

export const title =
  'while the disk of PostgreSQL is full creates are told so, reads go on, and the log stays short';
export const hasShortForm = true;

const PER_SECOND = 200;
const ANSWER_MS = 1_000;
const LOG_LINES = 4;
/** Until the service counts the refusals as over. */
const QUIET_MS = 12_000;

export async function run(drill) {
  const { cluster, settings, key } = await setUp(drill);
  const disk = mountSmallDisk(drill, cluster);
  if (!disk) {
    drill.expect('skipped: to mount a small file system takes the rights of root on Linux', true);
    return;
  }
  const service = await startService(drill, { ...settings, LOG_LEVEL: 'warn' });
  await query(cluster.url, `CREATE TABLESPACE small LOCATION '${disk.folder}'`);
  await query(cluster.url, 'ALTER TABLE pets SET TABLESPACE small');
  const lines = [];
  service.child.stdout.on('data', (text) => lines.push(...String(text).trim().split('\n')));
  const client = new RawClient(service.origin, { connections: 50 });
  drill.defer(() => client.close());
  const phase = async (name, ms) => {
    drill.progress(`${name}: ${ms / 1_000} s of ${PER_SECOND} requests a second`);
    const load = new SteadyLoad(client, PER_SECOND, mixedRequests(key));
    await delay(ms);
    return load.finish();
  };

  const before = await phase('room on the disk', 1_000);
  disk.fill();
  await phase('the last page fills up', 2_000);
  const full = await phase('disk full', drill.short ? 3_000 : 20_000);
  disk.empty();
  const after = await phase('room again', 2_000);
  await delay(QUIET_MS);

  const wrong = full.filter((outcome) => !succeeded(outcome) && !refusedProperly(outcome));
  const created = full.filter(({ status }) => status === 201).length;
  const reads = full.filter(({ status }) => status === 200).length;
  drill.figure('before, full, after', [before, full, after].map(tally).join('; '));
  drill.figure('log', `${lines.length} lines`);
  drill.expect('everything succeeds before', !before.some(failed));
  drill.expect(`full: each is a success or a proper 503 (else: ${tally(wrong)})`, wrong.length === 0);
  drill.expect('full: no create succeeds', created === 0);
  drill.expect('full: every read succeeds', reads >= full.length * 0.69);
  drill.expect(`full: each within ${ANSWER_MS / 1_000} s`, slowest(full) <= ANSWER_MS);
  drill.expect('everything succeeds after', !after.some(failed));
  drill.expect(
    `the log says so in at most ${LOG_LINES} lines`,
    lines.length > 0 && lines.length <= LOG_LINES,
  );
}

/** A file system of 8 MB in the cluster's folder, undefined where none can be mounted. */
function mountSmallDisk(drill, { folder, account }) {
  const mountPoint = join(folder, 'small');
  mkdirSync(mountPoint);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', mountPoint], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  // The server still uses it; the file system goes when the server does.
  drill.defer(() => execFileSync('umount', ['--lazy', mountPoint]));
  const own = join(mountPoint, 'tablespace');
  mkdirSync(own, { mode: 0o700 });
  if (account.uid !== undefined) chownSync(own, account.uid, account.gid);
  const ballast = join(mountPoint, 'ballast');
  return {
    folder: own,
    fill() {
      const { bavail, bsize } = statfsSync(mountPoint);
      writeFileSync(ballast, Buffer.alloc(bavail * bsize));
    },
    empty: () => rmSync(ballast),
  };
}
