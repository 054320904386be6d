import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.mjs';

/**
 * Creates and starts a private PostgreSQL cluster in a temporary folder, on a free loopback port, with a random
 * password. stop() deletes it, and so does the end of this process, however it ends. `pgCtl` lets callers stop and start
 * the server. `settings` are added to postgresql.conf.
 */
export function startCluster(binaries, settings, password = randomBytes(16).toString('hex')) {
  return start(binaries, (cluster) => initialise(cluster, password), settings);
}

/** Creates and starts a streaming standby of a cluster, in the same way. It has the same password. */
export function startStandby(binaries, primary, settings) {
  const copy = async (cluster) => {
    const args = [`--dbname=${primary.url}`, `--pgdata=${cluster.data}`, '--write-recovery-conf'];
    await runTool(cluster, 'pg_basebackup', [...args, '--checkpoint=fast', '--no-sync']);
    return new URL(primary.url).password;
  };
  return start(binaries, copy, settings);
}

/** `fill` makes the data folder, and returns the password. */
async function start(binaries, fill, settings = {}) {
  const account = serverAccount();
  const folder = mkdtempSync(join(temporaryFolder(account), 'postgres-'));
  const cluster = { binaries, folder, account, data: join(folder, 'data'), log: join(folder, 'log') };
  const caretaker = startCaretaker(cluster);
  const stop = async () => {
    caretaker.stdin.end();
    if (caretaker.exitCode === null) await once(caretaker, 'exit');
  };
  try {
    const password = await fill(cluster);
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

/** PostgreSQL refuses to run as root, so root uses the account of its package. */
export function serverAccount() {
  if (process.getuid() !== 0) return {};
  const id = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** TMPDIR, unless the server account cannot write to it or its path is too long for a Unix socket. */
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
 * Starts a shell that stops the server and deletes the folder when this process closes the pipe to it, which the kernel
 * does however this process ends. It runs in its own session, out of reach of Ctrl-C.
 */
function startCaretaker({ binaries, folder, account, data }) {
  // Repeats, because initdb may still be writing after a killed start.
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

async function initialise(cluster, password) {
  const passwordFile = join(cluster.folder, 'password');
  writeFileSync(passwordFile, password, { mode: 0o600 });
  chownToServer(passwordFile, cluster.account);
  await runTool(cluster, 'initdb', [
    `--pgdata=${cluster.data}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // Common on servers, and unlike the C locale of the embedded database, it handles non-ASCII letters.
    `--locale=${process.platform === 'linux' ? 'C.UTF-8' : 'en_US.UTF-8'}`,
    '--no-sync', // applies to initdb only; the server uses fsync
  ]);
  rmSync(passwordFile);
  return password;
}

/** Retries on another port if a different process takes the port first. */
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

/** Runs pg_ctl and waits for it to finish: `pgCtl('stop', '-m', 'immediate')`. */
const pgCtlOf =
  (cluster) =>
  (command, ...args) =>
    runTool(cluster, 'pg_ctl', [command, '-D', cluster.data, '-l', cluster.log, '-w', '-t', '60', ...args]);

/** Runs a tool in its own session, because cleaning up after an interrupted one would be hard. */
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
