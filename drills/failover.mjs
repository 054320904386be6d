import { closeSync, fsyncSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../scripts/support/free-port.mjs';
import { startHaproxy } from './support/haproxy.mjs';
import { bearer, httpClient } from './support/http.mjs';
import { PatroniCluster } from './support/patroni.mjs';
import { issueKeys, startService } from './support/service.mjs';

export const hasShortForm = true;
export const title =
  'nothing acknowledged is lost when the primary is killed under load, and standbys show it (--short: one kill)';

const WRITERS = 8;
const LOAD_MS = 5_000;
const PATIENCE_MS = 90_000;
const BEHIND_MS = 2_000;

export async function run(drill) {
  const rounds = drill.short ? 1 : 3;
  const cluster = new PatroniCluster(drill);
  await cluster.start();
  drill.expect(
    "Patroni's port changes nothing without a password",
    (await cluster.restartByAnybody()) === 401,
  );
  const port = await freePort();
  const databaseUrl = cluster.urlThrough(port);
  const nodePorts = [await freePort(), await freePort(), await freePort()];
  const settings = {
    DATABASE_URL: databaseUrl,
    DATABASE_STANDBY_URLS: nodePorts.map((node) => cluster.urlThrough(node)).join(),
    KEY_ENVIRONMENT: 'test',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'fatal',
  };
  const replicas = [await freePort(), await freePort()];
  const proxy = await startHaproxy(drill, {
    files: ['haproxy.cfg', 'ha/database.cfg'],
    addresses: {
      HAPROXY_DATABASE: `127.0.0.1:${port}`,
      ...Object.fromEntries(nodePorts.map((node, i) => [`HAPROXY_NODE_${i + 1}`, `127.0.0.1:${node}`])),
      REPLICA_1: `127.0.0.1:${replicas[0]}`,
      REPLICA_2: `127.0.0.1:${replicas[1]}`,
      ...cluster.addresses(),
    },
  });
  await proxy.up((await cluster.primary()).name);
  const [key] = await issueKeys(settings, 1);
  const services = [];
  for (const replica of replicas)
    services.push(await startMeasured(drill, { ...settings, PORT: String(replica) }));
  await probe(databaseUrl, 'CREATE TABLE probes (at timestamptz NOT NULL DEFAULT now())');

  const writers = startWriters(drill, services, key);
  for (let round = 1; round <= rounds; round++) {
    await delay(LOAD_MS);
    await killPrimary(drill, cluster, databaseUrl, writers, round);
  }
  await delay(LOAD_MS);
  for (const service of services)
    drill.expect(
      'two standbys answer its reads',
      await eventually(async () => (await service.standbys()) === 2),
    );
  await judge(drill, databaseUrl, writers);
}

/** With a function that counts the standbys in use. */
async function startMeasured(drill, settings) {
  const port = await freePort();
  const service = await startService(drill, { ...settings, METRICS_PORT: String(port) });
  const standbys = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { connection: 'close' } });
    return (await answer.text()).match(/^database_standby_up\{.*\} 1$/gm)?.length ?? 0;
  };
  return { ...service, standbys };
}

async function eventually(holds) {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await delay(50))
    if (await holds()) return true;
  return false;
}

async function killPrimary(drill, cluster, databaseUrl, writers, round) {
  const killed = await cluster.primary();
  drill.progress(`round ${round}: ${writers.count()} acknowledged; killing ${killed.name}`);
  await cluster.kill(killed);
  const killedAt = performance.now();
  const [database, service] = await Promise.all([firstWrite(databaseUrl), writers.recovered(killedAt)]);
  const seconds = (at) => `${((at - killedAt) / 1_000).toFixed(2)} s`;
  const behind = Math.max(0, service - database);
  drill.figure(
    `round ${round}`,
    `database back after ${seconds(database)}, service after ${seconds(service)}: ${(behind / 1_000).toFixed(2)} s later`,
  );
  drill.expect(
    `round ${round}: the service is back within ${BEHIND_MS / 1_000} s of its database`,
    behind <= BEHIND_MS,
  );
  const primary = await cluster.primary();
  drill.expect(`round ${round}: another node is the primary`, primary !== undefined && primary !== killed);
  drill.progress(`round ${round}: ${primary?.name} is the primary; starting ${killed.name} again`);
  await cluster.startNode(killed);
  await cluster.inSync();
}

/** Resolves to the time of the first successful write, made through HAProxy without the service. */
async function firstWrite(url) {
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await delay(50)) {
    if (await probe(url, 'INSERT INTO probes DEFAULT VALUES').catch(() => null)) return performance.now();
  }
  throw new Error(`The database accepted no writes within ${PATIENCE_MS / 1_000} s.`);
}

async function probe(connectionString, statement) {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 1_000, query_timeout: 1_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return await client.query(statement);
  } finally {
    client.end().catch(() => {});
  }
}

/** Starts clients that add animals continuously. Each acknowledgement is on disk before the next request. */
function startWriters(drill, services, key) {
  const folder = mkdtempSync(join(tmpdir(), 'failover-'));
  const file = join(folder, 'acknowledged');
  const log = openSync(file, 'a');
  const headers = { ...bearer(key), 'content-type': 'application/json' };
  const refused = new Map();
  const successes = services.map(() => []);
  const reads = { seen: 0, missed: 0 };
  let over = false;

  const write = async (writer) => {
    const service = writer % services.length;
    const { call } = httpClient(drill, services[service].origin, { timeoutMs: 10_000 });
    const other = httpClient(drill, services[(service + 1) % services.length].origin, { timeoutMs: 10_000 });
    for (let i = 0; !over; i++) {
      const body = JSON.stringify({ name: `writer ${writer}, animal ${i}`, categoryId: writer });
      const sentAt = performance.now();
      const { status, text } = await call('POST', '/v1/pets', { headers, body }).catch((error) => ({
        status: error.message,
      }));
      if (status === 201) {
        writeSync(log, `${text}\n`);
        fsyncSync(log);
        successes[service].push({ sentAt, at: performance.now() });
        const read = await other
          .call('GET', `/v1/pets/${JSON.parse(text).id}`, { headers })
          .catch(() => ({}));
        if (read.status === 200) reads.seen++;
        if (read.status === 404) reads.missed++;
      } else {
        refused.set(status, (refused.get(status) ?? 0) + 1);
        await delay(50);
      }
    }
  };
  const all = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  const stop = async () => {
    over = true;
    await all;
  };
  drill.defer(() => {
    closeSync(log);
    rmSync(folder, { recursive: true });
  });
  drill.defer(stop);

  /** Resolves to the time when every service has acknowledged an animal sent after `instant`. */
  const recovered = async (instant) => {
    for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await delay(20)) {
      const firsts = successes.map((list) => list.find(({ sentAt }) => sentAt > instant));
      if (firsts.every(Boolean)) return Math.max(...firsts.map(({ at }) => at));
    }
    throw new Error(`A service acknowledged no animals within ${PATIENCE_MS / 1_000} s.`);
  };
  const count = () => successes.reduce((sum, list) => sum + list.length, 0);
  return { file, refused, reads, recovered, stop, count };
}

async function judge(drill, databaseUrl, writers) {
  await writers.stop();
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query('SELECT id, name, category_id FROM pets');
  await client.end();
  const stored = new Map(rows.map(({ id, name, category_id }) => [id, `${name} ${category_id}`]));
  const acknowledged = readFileSync(writers.file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const lost = acknowledged.filter(
    ({ id, name, categoryId }) => stored.get(String(id)) !== `${name} ${categoryId}`,
  );
  const ids = new Set(acknowledged.map(({ id }) => id));

  drill.figure('acknowledged', `${acknowledged.length}; ${stored.size} stored, ${lost.length} lost`);
  drill.figure(
    'other answers',
    [...writers.refused].map(([status, times]) => `${times} × ${status}`).join(', ') || 'none',
  );
  const { seen, missed } = writers.reads;
  drill.figure('read at once through the other replica', `${seen} seen, ${missed} missed`);
  drill.expect('animals were acknowledged', acknowledged.length > 0);
  drill.expect('every acknowledged animal is seen at once', seen > 0 && missed === 0);
  drill.expect('no acknowledged animal is lost or altered', lost.length === 0);
  drill.expect('no id was assigned twice', ids.size === acknowledged.length);
  drill.expect(
    'every other answer was 503',
    [...writers.refused.keys()].every((status) => status === 503),
  );
}
