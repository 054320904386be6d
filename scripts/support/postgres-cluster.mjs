import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.mjs';

/**
 * Creates and starts a PostgreSQL cluster that nobody else uses: an empty temporary folder, a free port of the
 * loopback interface, a random password. It is gone when stop() resolves, or when this process ends in any other way.
 * `pgCtl` is for who wants it to suffer meanwhile.
 * `settings` are those of postgresql.conf that are not to be the server's defaults.
 */
export async function startCluster(binaries, settings = {}) {
  const account = serverAccount();
  const folder = mkdtempSync(join(temporaryFolder(account), 'postgres-'));
  const cluster = { binaries, folder, account, data: join(folder, 'data'), log: join(folder, 'log') };
  const caretaker = startCaretaker(cluster);
  const stop = async () => {
    caretaker.stdin.end();
    if (caretaker.exitCode === null) await once(caretaker, 'exit');
  };
  try {
    const password = await initialise(cluster);
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
    appendFileSync(join(cluster.data, 'postgresql.conf'), lines.join(''));
    const port = await startOnFreePort(cluster);
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
    return { url, folder, data: cluster.data, account, pgCtl: pgCtlOf(cluster), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** PostgreSQL refuses to run as root; its packages bring an account for it. */
export function serverAccount() {
  if (process.getuid() !== 0) return {};
  const id = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** The usual one, unless the server's account cannot use it or the path is too long for that of a socket. */
export function temporaryFolder(account) {
  const usable = (folder) => {
    if (folder.length > 80) return false;
    try {
      execFileSync('test', ['-w', folder, '-a', '-x', folder], { ...account, cwd: '/', stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  };
  return [tmpdir(), '/tmp'].find(usable) ?? '/var/tmp';
}

/**
 * Waits until this process closes the pipe between them, which the kernel does however it ends, then stops the server
 * and deletes the folder. In a session of its own, so that a Ctrl-C in the terminal does not reach it.
 */
function startCaretaker({ binaries, folder, account, data }) {
  // Again and again, because a killed start may have left initdb at work.
  const script = `
    cat > /dev/null
    for attempt in 1 2 3 4 5; do
      if [ -f "$2/postmaster.pid" ]; then
        "$1/pg_ctl" stop -D "$2" -m fast -t 20 || "$1/pg_ctl" stop -D "$2" -m immediate
      fi
      rm -rf "$3" && break
      sleep 1
    done`;
  const args = ['-c', script, 'postgres-caretaker', binaries, data, folder];
  chownToServer(folder, account);
  return spawn('sh', args, { ...account, cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
}

async function initialise(cluster) {
  const password = randomBytes(16).toString('hex');
  const passwordFile = join(cluster.folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  chownToServer(passwordFile, cluster.account);
  await runTool(cluster, 'initdb', [
    `--pgdata=${cluster.data}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // As usual on servers, and unlike the embedded database's C: it knows letters beyond ASCII.
    `--locale=${process.platform === 'linux' ? 'C.UTF-8' : 'en_US.UTF-8'}`,
    '--no-sync', // of the files just made; the server itself does fsync
  ]);
  rmSync(passwordFile);
  return password;
}

/** Between asking for a free port and listening on it somebody else may take it: then ask again. */
async function startOnFreePort(cluster) {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    appendFileSync(
      join(cluster.data, 'postgresql.conf'),
      `listen_addresses = '127.0.0.1'\nport = ${port}\nunix_socket_directories = '${cluster.folder}'\n`,
    );
    try {
      await pgCtlOf(cluster)('start');
      return port;
    } catch (error) {
      const log = readFileSync(cluster.log, 'utf8');
      if (attempt === 10 || !log.includes('could not bind')) {
        throw new Error(`${error.message}\n${log}`, { cause: error });
      }
      rmSync(cluster.log);
    }
  }
}

/** Starts or stops the server and waits until that is done: `pgCtl('stop', '-m', 'immediate')`. */
const pgCtlOf =
  (cluster) =>
  (command, ...args) =>
    runTool(cluster, 'pg_ctl', [command, '-D', cluster.data, '-l', cluster.log, '-w', '-t', '60', ...args]);

/** In a session of its own: a Ctrl-C must not interrupt these, what they leave half done would be hard to clean up. */
async function runTool({ binaries, folder, account }, name, args) {
  const env = { ...process.env, LC_ALL: 'C', HOME: folder };
  const tool = spawn(join(binaries, name), args, {
    ...account,
    env,
    cwd: folder,
    detached: true,
    stdio: 'pipe',
  });
  let output = '';
  for (const stream of [tool.stdout, tool.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  const [code] = await once(tool, 'close');
  if (code !== 0) throw new Error(`${name} failed: ${output}`);
}

function chownToServer(path, { uid, gid }) {
  if (uid !== undefined) chownSync(path, uid, gid);
}
