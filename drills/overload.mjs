// Three times the load that it can serve: the service keeps its goodput, and the rest is refused.
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { missing } from '../scripts/support/programs.mjs';
import { expect, isShort, runDrill, tell, until } from './support/drill.mjs';
import { ask, closedLoop, expectProper, openLoop, refusedProperly, succeeded } from './support/load.mjs';
import { startHaproxy, startStore } from './support/programs.mjs';

const PEAK_S = isShort ? 2 : 10;
const OVERLOAD_S = isShort ? 4 : 30;
const CLIENTS = 64;
const TIMES = 3;
const GOODPUT = 0.8;
const MEMORY_MIB = 512;
const BACK_MS = 5_000;
const ANIMALS = 20_000;
/** Of a core, so that the load does not take from the service what it is measured with. */
const TENTH = ['--deadline', '--sched-runtime', '1000000', '--sched-period', '10000000', '--reset-on-fork'];
const { status } = spawnSync('chrt', [...TENTH, '0', process.execPath, '-e', '0'], { timeout: 3_000 });
if (status !== 0) missing('SCHED_DEADLINE', 'It takes Linux, root, and a host that gives a tenth of a core its time.');

await runDrill(async () => {
  const { services, key, sql } = await startStore();
  const [service] = services;
  const { pid } = service.child;
  await sql(`INSERT INTO pets (name, category_id) SELECT 'animal ' || n, n FROM generate_series(1, ${ANIMALS}) n`);
  const { origin } = await startHaproxy(services);

  /** Large pages: refusing costs a fifth of a small answer, so that three times their peak could not be refused. */
  const page = () => ask(origin, 'GET', `/v1/pets?limit=100&after=${randomInt(ANIMALS - 100)}`, { key });
  const peak = async () => (await measure(closedLoop(CLIENTS, page), PEAK_S)).goodput;

  await peak(); // until it is warm
  spawnSync('chrt', [...TENTH, '--pid', '0', String(pid)]);
  const before = await peak();
  const over = await measure(openLoop(before * TIMES, page), OVERLOAD_S);
  const isNormal = async () => {
    const ten = await Promise.all(Array.from({ length: 10 }, page));
    return ten.every((answer) => succeeded(answer) && answer.ms < 200);
  };
  await until('ten quick answers', isNormal, BACK_MS);
  const after = await peak(); // others may have come to use the machine
  const memory = Math.round(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1] / 1_024);
  const share = over.goodput / Math.min(before, after);
  tell(`peaks of ${before} a second before, ${after} after`);
  expect(`${over.sent} sent a second, ${TIMES} times the first`, over.sent >= before * TIMES * 0.95);
  expect(`goodput of ${share.toFixed(2)} of the lower peak, at least ${GOODPUT}`, share >= GOODPUT);
  expect('some are refused', over.answers.some(refusedProperly));
  expectProper(over.answers);
  expect(`${memory} MiB of memory, at most ${MEMORY_MIB}`, memory <= MEMORY_MIB);
  expect('no restart', service.isRunning());
});

async function measure(loop, seconds) {
  const begun = performance.now();
  await delay(seconds * 1_000);
  const answers = await loop.finish();
  const took = (performance.now() - begun) / 1_000;
  const goodput = Math.round(answers.filter(succeeded).length / took);
  return { answers, goodput, sent: Math.round(answers.length / seconds) };
}
