// HAProxy as new as that of the deployment. Debian and Ubuntu have older ones, which answer malformed requests in HTML and
// know less of docker/haproxy.cfg. So it is compiled, once, into the cache of this account.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';
import { cache } from './other-tools.mjs';
import { runChild } from './run-child.mjs';
import { installPackages, requireTool } from './tool.mjs';

/** Of the series that docker/compose.yaml names; raise both together. `curl -L <source> | sha256sum` tells the sum. */
const VERSION = '3.4.2';
const SHA256 = 'b1330dbb0d6e6bc4a72c4708a6a9e585579cd1156dfe5763c26305105bc12907';
const SOURCES = [
  `https://www.haproxy.org/download/3.4/src/haproxy-${VERSION}.tar.gz`,
  `https://archive.ubuntu.com/ubuntu/pool/main/h/haproxy/haproxy_${VERSION}.orig.tar.gz`,
];
const PATIENCE_MS = 60_000;
const UNFINISHED = 'unfinished-haproxy-';
const OLD_MS = 3_600_000;

class Interrupted extends Error {}

let required;

/** Puts HAProxy on the PATH of this process and its children: an older one only where none can be compiled. */
export const requireHaproxy = (drill) => (required ??= provide(drill));

async function provide(drill) {
  if (isNewEnough('haproxy')) return;
  const folder = join(cache, `haproxy-${VERSION}`);
  try {
    if (!isNewEnough(join(folder, 'haproxy'))) await compile(drill, folder);
    process.env.PATH = `${folder}${delimiter}${process.env.PATH}`;
  } catch (error) {
    if (error instanceof Interrupted) throw error;
    drill.progress(
      `WITHOUT HAProxy ${VERSION}: ${error.message}. Tests that need it are skipped; drills run on an older one.`,
    );
    requireTool(drill, 'haproxy');
  }
}

function isNewEnough(program) {
  const { stdout } = spawnSync(program, ['-v'], { encoding: 'utf8' });
  const [, major, minor] = /version (\d+)\.(\d+)/.exec(stdout ?? '') ?? [];
  const [wantedMajor, wantedMinor] = VERSION.split('.').map(Number);
  return Number(major) > wantedMajor || (Number(major) === wantedMajor && Number(minor) >= wantedMinor);
}

/** The folder appears with its program only: runs may meet, and may be ended. */
async function compile(drill, folder) {
  drill.progress(`compiling HAProxy ${VERSION}, once, for a minute or two`);
  installPackages('gcc', 'libc6-dev', 'make', 'libssl-dev');
  mkdirSync(cache, { recursive: true });
  removeOld();
  const work = mkdtempSync(join(cache, UNFINISHED));
  try {
    writeFileSync(join(work, 'source.tar.gz'), await download());
    await run(work, 'tar', ['-xzf', 'source.tar.gz', '--strip-components=1']);
    const features = ['TARGET=linux-glibc', 'USE_OPENSSL=1', 'USE_PROMEX=1'];
    await run(work, 'make', [
      '-s',
      `-j${availableParallelism()}`,
      ...features,
      'OPT_CFLAGS=-O1',
      'DEBUG_CFLAGS=',
    ]);
    if (!isNewEnough(join(work, 'haproxy'))) throw new Error('what was compiled does not run');
    mkdirSync(join(work, 'program'));
    renameSync(join(work, 'haproxy'), join(work, 'program', 'haproxy'));
    if (isNewEnough(join(folder, 'haproxy'))) return; // of a run at the same time
    rmSync(folder, { recursive: true, force: true });
    renameSync(join(work, 'program'), folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Of runs that were killed. */
function removeOld() {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    if (
      !name.startsWith(UNFINISHED) ||
      Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0) < OLD_MS
    )
      continue;
    rmSync(path, { recursive: true, force: true });
  }
}

async function download() {
  const reasons = [];
  for (const url of SOURCES) {
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
      if (!answer.ok) throw new Error(answer.status);
      const archive = Buffer.from(await answer.arrayBuffer());
      const sum = createHash('sha256').update(archive).digest('hex');
      if (sum !== SHA256) throw new Error(`has the checksum ${sum}`);
      return archive;
    } catch (error) {
      reasons.push(`${url}: ${error.cause?.code ?? error.message}`);
    }
  }
  throw new Error(`no source (${reasons.join('; ')})`);
}

async function run(cwd, command, args) {
  const { code, interrupted, output } = await runChild(command, args, {
    cwd,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (interrupted) throw new Interrupted(`${command} was ended by ${interrupted}`);
  if (code !== 0) throw new Error(`${command} failed: ${output.trim().slice(-500)}`);
}
