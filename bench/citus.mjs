import { postgresBinaries } from '../scripts/support/postgres-binaries.mjs';
import { startCitus } from '../scripts/support/citus-cluster.mjs';
import { CONTESTANTS, startContestant } from './contestants.mjs';
import { addAnimals, fillDatabase, processesOf, startDatabase } from './database.mjs';
import { cpuTime } from './processes.mjs';
import { fullLoad } from './load/wrk.mjs';
import { issueKeys } from '../drills/support/service.mjs';
import { median, ratios } from './statistics.mjs';
import { TARGETS } from './workloads.mjs';

const WORKLOADS = ['page', 'status', 'one', 'create'];
const SHARDS = [8, 32];
const ONE_SERVER = { DATABASE_DISTRIBUTION: '' };

/** Compares one server with a cluster of a coordinator and two workers, in turn. All share the cores. */
export async function run(bench, form) {
  if (process.env.DATABASE_DISTRIBUTION !== 'citus')
    throw new Error('It needs the extension: npm run with-citus -- npm run bench -- --citus');
  const rows = form.rows / 10;
  const server = await startDatabase(bench);
  const database = await fillDatabase(bench, server, 'animals', rows, ONE_SERVER);
  const alone = await startContestant(bench, CONTESTANTS[0], {
    ...database,
    settings: ONE_SERVER,
    core: 'any',
  });
  for (const shards of SHARDS) {
    bench.progress(`starting a cluster with ${shards} shards`);
    const cluster = await startCitus(postgresBinaries(), { 'citus.shard_count': shards });
    bench.defer(cluster.stop);
    const own = { url: cluster.serviceUrl, key: undefined, rows };
    [own.key] = await issueKeys({ DATABASE_URL: own.url, KEY_ENVIRONMENT: 'test' }, 1);
    const settings = { DATABASE_STANDBY_URLS: cluster.workerUrls.join(',') };
    const service = await startContestant(bench, CONTESTANTS[0], { ...own, settings, core: 'any' });
    await addAnimals(bench, own.url, rows);
    const sides = [
      { service: alone, database, nodes: { server } },
      { service, database: own, nodes: nodesOf(cluster) },
    ];
    for (const { name } of form.workloads)
      if (WORKLOADS.includes(name)) await compare(bench, form, { workload: name, shards, sides });
    await service.stop();
    await cluster.stop();
  }
}

const nodesOf = ({ nodes: [coordinator, ...workers] }) => ({ coordinator, ...workers });

async function compare(bench, form, { workload, shards, sides }) {
  const rounds = [[], []];
  for (let round = -1; round < form.flatRounds; round++) {
    for (const side of round % 2 ? [0, 1] : [1, 0]) {
      const one = await measure(sides[side], workload, round < 0 ? form.warmUpSeconds : form.seconds);
      if (round >= 0) rounds[side].push(one);
    }
  }
  const rates = rounds.map((all) => all.map(({ perSecond }) => perSecond));
  const { median: ratio, low, high } = ratios(rates[1], rates[0]);
  const cpu = Object.keys(rounds[1][0].cpu).map(
    (name) => `${name} ${median(rounds[1].map((one) => one.cpu[name])).toFixed(0)}`,
  );
  const goal = TARGETS.citus[workload];
  bench.figure(
    `${workload}, ${shards} shards`,
    `${median(rates[1]).toFixed(0)} ÷ ${median(rates[0]).toFixed(0)} requests/s, µs of processor time: ${cpu.join(', ')}`,
  );
  bench.expect(
    `${workload} ÷ one server, ${shards} shards: ${ratio.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})${goal ? `, at least ${goal}` : ''}`,
    ratio >= (goal ?? 0),
  );
}

async function measure({ service, database, nodes }, workload, seconds) {
  const before = cpuOf(nodes, service);
  const { requests, perSecond } = await fullLoad({ ...database, origin: service.origin, workload, seconds });
  const after = cpuOf(nodes, service);
  const cpu = Object.fromEntries(
    Object.entries(after).map(([name, ms]) => [name, ((ms - before[name]) * 1_000) / requests]),
  );
  return { perSecond, cpu };
}

/** In milliseconds. Connections of nodes to each other may end, and with them their part. */
function cpuOf(nodes, service) {
  const used = Object.entries(nodes).map(([name, node]) => [name, sum(processesOf(node).map(cpuIfThere))]);
  return { service: cpuTime(service.pid), ...Object.fromEntries(used) };
}

function cpuIfThere(pid) {
  try {
    return cpuTime(pid);
  } catch {
    return 0; // it has ended
  }
}

const sum = (values) => values.reduce((total, value) => total + value, 0);
