// Three times the load that it can serve: the service keeps its goodput, and the rest is refused.
import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { defer, expect, isShort, runDrill, tell, until } from './support/drill.mjs';
import { ask, closedLoop, openLoop, refusedProperly, slowest, succeeded, tally, wrongOf } from './support/load.mjs';
import { startHaproxy, startStore } from './support/programs.mjs';

const PEAK_S = isShort ? 2 : 10;
const OVERLOAD_S = isShort ? 4 : 30;
const CLIENTS = 64;
const TIMES = 3;
const GOODPUT = 0.8;
const MEMORY_MIB = 512;
const BACK_MS = 5_000;
const ANIMALS = 20_000;

await runDrill(async () => {
  const { services, key, sql } = await startStore();
  const [service] = services;
  const values = "SELECT 'animal ' || n, n FROM generate_series(1, $1::int) n";
  await sql(`INSERT INTO pets (name, category_id) ${values}`, [ANIMALS]);
  const { origin } = await startHaproxy(services);
  if (confine(service)) tell('the service has half a core');

  /** Large pages: refusing costs a fifth of a small answer, so that three times their peak could not be refused. */
  const page = () => ask(origin, 'GET', `/v1/pets?limit=100&after=${randomInt(ANIMALS - 100)}`, { key });
  const peak = async () => (await measure(closedLoop(CLIENTS, page), PEAK_S)).goodput;

  let [last, before] = [0, await peak()];
  while (before > last * 1.1) [last, before] = [before, await peak()]; // until it is warm
  const over = await measure(openLoop(before * TIMES, page), OVERLOAD_S);
  let quick = 0;
  const isNormal = async () => {
    const answer = await ask(origin, 'GET', '/v1/pets?limit=1', { key });
    quick = succeeded(answer) && answer.ms < 200 ? quick + 1 : 0;
    return quick === 10;
  };
  await until('ten quick answers in a row', isNormal, BACK_MS);
  const after = await peak(); // others may have come to use the machine
  const memory = Math.round(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))[1] / 1_024);
  const share = over.goodput / Math.min(before, after);
  const wrong = wrongOf(over.answers);
  tell(`peaks of ${Math.round(before)} a second before, ${Math.round(after)} after`);
  tell(`${Math.round(over.sent)} sent a second: ${tally(over.answers)}; slowest ${slowest(over.answers)} ms`);
  expect(`${TIMES} times the peak is sent`, over.sent >= before * TIMES * 0.95);
  expect(`goodput of ${share.toFixed(2)} of the lower peak, at least ${GOODPUT}`, share >= GOODPUT);
  expect(
    `the rest is refused properly (else ${tally(wrong)})`,
    wrong.length === 0 && over.answers.some(refusedProperly),
  );
  expect(`${memory} MiB of memory, at most ${MEMORY_MIB}`, memory <= MEMORY_MIB);
  expect('no restart', service.isRunning());
});

async function measure(loop, seconds) {
  const begun = performance.now();
  await delay(seconds * 1_000);
  const answers = await loop.finish();
  const took = (performance.now() - begun) / 1_000;
  return { answers, sent: answers.length / seconds, goodput: answers.filter(succeeded).length / took };
}

/** To half a core, so that the load does not take from the service what it is measured with. Takes the rights of root. */
function confine(service) {
  const version1 = '/sys/fs/cgroup/cpu';
  const [parent, limits] = existsSync(version1)
    ? [version1, { 'cpu.cfs_period_us': '10000', 'cpu.cfs_quota_us': '5000' }]
    : ['/sys/fs/cgroup', { 'cpu.max': '5000 10000' }];
  const group = `${parent}/drill-${process.pid}`;
  try {
    mkdirSync(group);
    defer(() => service.stop('SIGKILL').then(() => rmdirSync(group)));
    for (const [name, value] of Object.entries({ ...limits, 'cgroup.procs': String(service.pid) }))
      writeFileSync(`${group}/${name}`, value);
    return true;
  } catch {
    return false;
  }
}
