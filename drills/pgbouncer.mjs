import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../scripts/support/free-port.mjs';
import { root } from '../scripts/support/root.mjs';
import { runChild } from '../scripts/support/run-child.mjs';
import { accepting, startPostgres } from './support/postgres.mjs';
import { healthOf, launchService, ready } from './support/service.mjs';
import { requireTool } from '../scripts/support/tool.mjs';

export const title =
  'the end-to-end tests pass through PgBouncer in transaction pooling mode; in statement mode the service is not ready';

const TESTS_S = 900;

export async function run(drill) {
  requireTool(drill, 'pgbouncer');
  const cluster = await startPostgres(drill);
  const { url, version } = await startPgBouncer(drill, cluster, 'transaction');
  drill.figure('PgBouncer', `${version}, pool_mode = transaction`);
  const paths = drill.args.filter((arg) => !arg.startsWith('--'));
  await refuseStatementMode(drill, cluster);
  drill.progress(`the end-to-end tests${paths.length > 0 ? `: ${paths.join(' ')}` : ''}`);
  const args = ['scripts/test.mjs', '--selectProjects', 'e2e', '--silent', ...paths];
  const env = {
    ...process.env,
    DATABASE_URL: url,
    // Migrations hold a session lock, which needs a direct connection.
    DATABASE_DIRECT_URL: cluster.url,
    // PgBouncer supports prepared statements from 1.21 on; Debian 12 has an older version.
    DATABASE_PREPARED_STATEMENTS: 'false',
  };
  const { code, output } = await runChild('timeout', [String(TESTS_S), process.execPath, ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const summary = output
    .split('\n')
    .filter((line) => /^(?:Tests|Test Suites|FAIL)/.test(line.replace(/^\S*\[\S*m/, '')));
  drill.figure('tests', summary.join('; ') || output.trim().split('\n').slice(-3).join(' | '));
  const failed = [...new Set(output.match(/^ {2}● .*$/gm))];
  if (failed.length > 0) drill.progress(`failed:\n${failed.slice(0, 10).join('\n')}`);
  drill.expect('every end-to-end test passes', code === 0 && /Tests: .*passed/.test(output));
}

/** Migrations and reads work, so only a look at transactions shows that changes would fail. */
async function refuseStatementMode(drill, cluster) {
  const { url } = await startPgBouncer(drill, cluster, 'statement');
  const service = await launchService(drill, {
    DATABASE_URL: url,
    DATABASE_DIRECT_URL: cluster.url,
    DATABASE_PREPARED_STATEMENTS: 'false',
  });
  const [line] = await Promise.race([
    once(createInterface(service.child.stdout), 'line'),
    ready(service).then(() => ['']),
  ]);
  const status = await healthOf(service.origin, 'ready');
  drill.expect(
    'in statement mode the service is not ready, and the log says why',
    status === 503 && /transaction blocks not allowed in statement pooling mode/.test(line),
  );
  await service.stop();
}

/** Starts PgBouncer in front of the cluster, for any database, on a free loopback port. */
async function startPgBouncer(drill, { url, folder: clusterFolder, account }, mode) {
  drill.progress('starting PgBouncer');
  const server = new URL(url);
  const port = await freePort();
  // Uses the folder and account of the cluster, because PgBouncer refuses to run as root too.
  const folder = join(clusterFolder, `pgbouncer-${mode}`);
  const own = (path, mode) => {
    chmodSync(path, mode);
    if (account.uid !== undefined) chownSync(path, account.uid, account.gid);
  };
  mkdirSync(folder);
  own(folder, 0o700);
  drill.defer(() => rmSync(folder, { recursive: true, force: true }));
  const users = join(folder, 'users.txt');
  writeFileSync(users, `"${server.username}" "${server.password}"\n`);
  own(users, 0o600);
  const settings = join(folder, 'pgbouncer.ini');
  writeFileSync(
    settings,
    `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = ${mode}
default_pool_size = 10
max_client_conn = 500
server_idle_timeout = 5
`,
  );
  own(settings, 0o600);
  const child = spawn('pgbouncer', ['--quiet', settings], {
    ...account,
    cwd: folder,
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  drill.defer(async () => {
    child.kill('SIGKILL'); // SIGTERM would wait for clients; there is no state to lose
    await ended;
  });
  const through = new URL(url);
  through.port = String(port);
  await Promise.race([
    accepting(through.href),
    ended.then(([code]) => Promise.reject(new Error(`PgBouncer exited with ${code}.`))),
  ]);
  const { stdout } = spawnSync('pgbouncer', ['--version'], { encoding: 'utf8' });
  return { url: through.href, version: stdout.split('\n')[0].replace('PgBouncer ', '') };
}
