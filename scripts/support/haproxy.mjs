// HAProxy as new as that of the deployment. Debian and Ubuntu have older ones, which answer malformed requests in HTML and
// know less of docker/haproxy.cfg. So it is compiled, once, into the cache of this account.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, join } from 'node:path';
import { cache } from './other-tools.mjs';
import { installPackages, requireTool } from './tool.mjs';

/** Of the series that docker/compose.yaml names. */
const VERSION = '3.4.2';
const SHA256 = 'b1330dbb0d6e6bc4a72c4708a6a9e585579cd1156dfe5763c26305105bc12907';
const SOURCES = [
  `https://www.haproxy.org/download/3.4/src/haproxy-${VERSION}.tar.gz`,
  `https://archive.ubuntu.com/ubuntu/pool/main/h/haproxy/haproxy_${VERSION}.orig.tar.gz`,
];
const PATIENCE_MS = 60_000;

/** Puts HAProxy on the PATH of this process and its children: an older one only where none can be compiled. */
export async function requireHaproxy(drill) {
  if (isNewEnough()) return;
  const folder = join(cache, `haproxy-${VERSION}`);
  try {
    if (!existsSync(folder)) await compile(drill, folder);
    process.env.PATH = `${folder}${delimiter}${process.env.PATH}`;
    if (!isNewEnough()) throw new Error(`what ${folder} holds does not run; delete the folder`);
  } catch (error) {
    requireTool(drill, 'haproxy');
    drill.progress(`WITHOUT HAProxy ${VERSION}: ${error.message}. What needs it is skipped.`);
  }
}

function isNewEnough() {
  const { stdout } = spawnSync('haproxy', ['-v'], { encoding: 'utf8' });
  const [, major, minor] = /version (\d+)\.(\d+)/.exec(stdout ?? '') ?? [];
  const [wantedMajor, wantedMinor] = VERSION.split('.').map(Number);
  return major > wantedMajor || (Number(major) === wantedMajor && minor >= wantedMinor);
}

/** The folder appears with its program only: runs may meet, and may be ended. */
async function compile(drill, folder) {
  drill.progress(`compiling HAProxy ${VERSION}, once, for a minute or two`);
  installPackages('gcc', 'libc6-dev', 'make', 'libssl-dev');
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, 'haproxy-'));
  try {
    writeFileSync(join(work, 'source.tar.gz'), await download());
    run(work, 'tar', ['-xzf', 'source.tar.gz', '--strip-components=1']);
    const features = ['TARGET=linux-glibc', 'USE_OPENSSL=1', 'USE_PROMEX=1'];
    run(work, 'make', ['-s', `-j${availableParallelism()}`, ...features, 'OPT_CFLAGS=-O1', 'DEBUG_CFLAGS=']);
    const program = join(work, 'program');
    mkdirSync(program);
    renameSync(join(work, 'haproxy'), join(program, 'haproxy'));
    if (!existsSync(folder)) renameSync(program, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
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

function run(cwd, command, args) {
  const { status, error, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} failed: ${error?.code ?? stderr.trim().split('\n').at(-1)}`);
}
