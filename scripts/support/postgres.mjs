import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './free-port.mjs';
import { missing } from './programs.mjs';

/**
 * Starts a PostgreSQL server of its own in a temporary folder, on a free port of loopback. `stop` ends it by a signal:
 * SIGINT, or SIGQUIT for "immediate"; `start` starts it again; `remove` deletes it, as does the end of this process, unless
 * it is killed.
 */
export async function startPostgres(settings = {}) {
  const binaries = findBinaries();
  const account = serverAccount();
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  const [data, log] = [join(folder, 'data'), join(folder, 'log')];
  if (account.uid) chownSync(folder, account.uid, account.gid);
  const options = { ...account, cwd: '/', env: { ...process.env, LC_ALL: 'C' } };
  const initdb = ['-D', data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'];
  await promisify(execFile)(join(binaries, 'initdb'), initdb, options);
  const port = await freePort();
  const all = { listen_addresses: '127.0.0.1', port, unix_socket_directories: folder, ...settings };
  for (const [name, value] of Object.entries(all))
    appendFileSync(join(data, 'postgresql.conf'), `${name} = '${value}'\n`);

  const control = (...args) => [join(binaries, 'pg_ctl'), ['-D', data, '-s', ...args], options];

  async function start() {
    await promisify(execFile)(...control('start', '-l', log)).catch(() => {
      throw new Error(`PostgreSQL did not start:\n${readFileSync(log, 'utf8')}`);
    });
  }
  async function stop(signal = 'SIGINT') {
    const mode = signal === 'SIGQUIT' ? 'immediate' : 'fast';
    if (existsSync(join(data, 'postmaster.pid'))) await promisify(execFile)(...control('stop', '-m', mode));
  }
  function remove() {
    process.off('exit', remove);
    spawnSync(...control('stop', '-m', 'immediate'));
    rmSync(folder, { recursive: true, force: true });
  }

  process.on('exit', remove);
  await start();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  return { url, port, data, account, start, stop, remove };
}

/** Those of POSTGRES_BINARIES, or the newest that Debian's packages have installed, or those on the PATH. */
export function findBinaries() {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => b - a) : [];
  const onPath = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' }).stdout?.trim();
  const folders = [process.env.POSTGRES_BINARIES, ...versions.map((each) => join(debian, each, 'bin')), onPath];
  const found = folders.find((folder) => folder && existsSync(join(folder, 'initdb')));
  return found ?? missing('PostgreSQL', 'On Debian and Ubuntu: sudo apt-get install postgresql');
}

/** PostgreSQL refuses to run as root, so root uses the account of its package. */
function serverAccount() {
  if (process.getuid() !== 0) return {};
  const id = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
