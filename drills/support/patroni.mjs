import { execFileSync, spawn } from 'node:child_process';
import { chownSync, cpSync, createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../scripts/support/free-port.mjs';
import { postgresBinaries } from '../../scripts/support/postgres-binaries.mjs';
import { serverAccount, temporaryFolder } from '../../scripts/support/postgres-cluster.mjs';
import { root } from '../../scripts/support/root.mjs';
import { requireTool } from '../../scripts/support/tool.mjs';

const passwordOf = (role) => `only-for-${role}`;
const START_MS = 120_000;

/**
 * A PostgreSQL cluster of three nodes with Patroni and etcd from the system's packages. Uses the configuration in
 * docker/ha with its own names, addresses, folders and passwords.
 */
export class PatroniCluster {
  nodes = [];
  #drill;
  #account = serverAccount();
  #binaries = postgresBinaries();
  #folder;

  constructor(drill) {
    requireTool(drill, 'etcd', 'etcd-server');
    requireTool(drill, 'patroni');
    this.#drill = drill;
    this.#folder = mkdtempSync(join(temporaryFolder(this.#account), 'patroni-'));
    drill.defer(() => rmSync(this.#folder, { recursive: true, force: true }));
    for (const file of ['ha/patroni.yaml', 'create-database.sh'])
      cpSync(join(root, 'docker', file), join(this.#folder, basename(file)));
    const { uid, gid } = this.#account;
    if (uid !== undefined) chownSync(this.#folder, uid, gid);
  }

  async start() {
    this.#drill.progress('starting etcd');
    const etcd = await this.#startEtcd();
    for (const name of ['node-1', 'node-2', 'node-3']) {
      const [port, rest] = [await freePort(), await freePort()];
      this.nodes.push({ name, port, rest, env: this.#environment(name, etcd, port, rest) });
    }
    this.#drill.progress('starting Patroni on three nodes');
    for (const node of this.nodes) await this.startNode(node);
    await this.inSync();
  }

  /** The environment variables of docker/ha/database.cfg. */
  addresses() {
    return Object.fromEntries(
      this.nodes.flatMap(({ port, rest }, i) => [
        [`NODE_${i + 1}`, `127.0.0.1:${port}`],
        [`NODE_${i + 1}_REST`, String(rest)],
      ]),
    );
  }

  urlThrough(port) {
    return `postgres://animal_store:${passwordOf('service')}@127.0.0.1:${port}/animal_store`;
  }

  /** The status of a request that would restart a node, made without the password. */
  async restartByAnybody() {
    const url = `http://127.0.0.1:${this.nodes[0].rest}/restart`;
    const answer = await fetch(url, { method: 'POST', body: '{}', headers: { connection: 'close' } });
    return answer.status;
  }

  async startNode(node) {
    node.child = this.#spawn('patroni', [join(this.#folder, 'patroni.yaml')], node.env, node.name);
    this.#drill.defer(() => this.kill(node));
  }

  /** Kills Patroni and all PostgreSQL processes at once, like a power failure. */
  async kill(node) {
    if (node.child.exitCode !== null || node.child.signalCode !== null) return;
    const postmaster = readPid(join(node.env.PATRONI_POSTGRESQL_DATA_DIR, 'postmaster.pid'));
    const processes = [node.child.pid, ...(postmaster ? [postmaster, ...childrenOf(postmaster)] : [])];
    for (const pid of processes) killHard(pid);
    await once(node.child, 'exit');
  }

  async primary() {
    const members = await this.#members();
    return this.nodes.find(({ name }) =>
      members.some((member) => member.name === name && member.role === 'leader'),
    );
  }

  /** Resolves when there is a primary with two replicas, one of them synchronous. */
  async inSync() {
    for (const end = performance.now() + START_MS; performance.now() < end; await delay(250)) {
      const members = await this.#members();
      const roles = members.filter(({ state }) => /running|streaming/.test(state)).map(({ role }) => role);
      if (roles.length === 3 && roles.includes('leader') && roles.includes('sync_standby')) return;
    }
    const logs = this.nodes.map(({ name }) => this.#log(name).split('\n').slice(-15).join('\n'));
    throw new Error(`The Patroni nodes were not in sync within ${START_MS / 1_000} s:\n${logs.join('\n\n')}`);
  }

  async #members() {
    for (const { rest } of this.nodes) {
      const answer = await fetch(`http://127.0.0.1:${rest}/cluster`, {
        signal: AbortSignal.timeout(2_000),
        headers: { connection: 'close' },
      }).catch(() => null);
      if (answer?.ok) return (await answer.json()).members;
    }
    return [];
  }

  async #startEtcd() {
    const [client, peer] = [await freePort(), await freePort()];
    const url = `http://127.0.0.1:${client}`;
    const peerUrl = `http://127.0.0.1:${peer}`;
    const child = this.#spawn(
      'etcd',
      [
        `--data-dir=${join(this.#folder, 'etcd')}`,
        `--listen-client-urls=${url}`,
        `--advertise-client-urls=${url}`,
        `--listen-peer-urls=${peerUrl}`,
        `--initial-advertise-peer-urls=${peerUrl}`,
        `--initial-cluster=default=${peerUrl}`,
      ],
      process.env,
      'etcd',
    );
    this.#drill.defer(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    });
    for (const end = performance.now() + START_MS; performance.now() < end; await delay(100)) {
      if (child.exitCode !== null) throw new Error(`etcd exited:\n${this.#log('etcd')}`);
      const answer = await fetch(`${url}/health`, { headers: { connection: 'close' } }).catch(() => null);
      if (answer?.ok) return `127.0.0.1:${client}`;
    }
    throw new Error(`etcd was not ready within ${START_MS / 1_000} s:\n${this.#log('etcd')}`);
  }

  #environment(name, etcd, port, rest) {
    const [database, api] = [`127.0.0.1:${port}`, `127.0.0.1:${rest}`];
    return {
      ...process.env,
      PATH: `${this.#folder}:${this.#binaries}:${process.env.PATH}`,
      HOME: this.#folder,
      PATRONI_NAME: name,
      PATRONI_ETCD3_HOSTS: `'${etcd}'`,
      PATRONI_RESTAPI_LISTEN: api,
      PATRONI_RESTAPI_CONNECT_ADDRESS: api,
      PATRONI_POSTGRESQL_LISTEN: database,
      PATRONI_POSTGRESQL_CONNECT_ADDRESS: database,
      PATRONI_POSTGRESQL_DATA_DIR: join(this.#folder, name),
      PATRONI_POSTGRESQL_BIN_DIR: this.#binaries,
      PATRONI_POSTGRESQL_PGPASS: join(this.#folder, `${name}.pgpass`),
      PATRONI_SUPERUSER_USERNAME: 'postgres',
      PATRONI_SUPERUSER_PASSWORD: passwordOf('superuser'),
      PATRONI_REPLICATION_USERNAME: 'replicator',
      PATRONI_REPLICATION_PASSWORD: passwordOf('replication'),
      PATRONI_REWIND_USERNAME: 'rewind',
      PATRONI_REWIND_PASSWORD: passwordOf('rewind'),
      PATRONI_RESTAPI_USERNAME: 'patroni',
      PATRONI_RESTAPI_PASSWORD: passwordOf('patroni'),
      ANIMAL_STORE_PASSWORD: passwordOf('service'),
    };
  }

  #spawn(program, args, env, name) {
    const options = { ...this.#account, env, cwd: this.#folder, stdio: ['ignore', 'pipe', 'pipe'] };
    const child = spawn(program, args, options);
    const log = createWriteStream(join(this.#folder, `${name}.log`), { flags: 'a' });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    return child;
  }

  #log(name) {
    return readFileSync(join(this.#folder, `${name}.log`), 'utf8');
  }
}

function readPid(file) {
  try {
    return Number(readFileSync(file, 'utf8').split('\n')[0]);
  } catch {
    return null;
  }
}

function childrenOf(pid) {
  try {
    return execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number);
  } catch {
    return []; // it has no children or has exited
  }
}

function killHard(pid) {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has exited already.
  }
}
