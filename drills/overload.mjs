// An open loop at three times the measured peak. HAProxy in front bounds what a replica works on at a time.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { ask, succeeded } from './support/client.mjs';
import { query, startStore } from './support/database.mjs';
import { isShort, runDrill } from './support/drill.mjs';
import { startHaproxy } from './support/programs.mjs';

const PEAK_S = isShort ? 2 : 10;
const OVERLOAD_S = isShort ? 4 : 30;
const CLIENTS = 64;
const TIMES = 3;
const GOODPUT = 0.8;
const MEMORY_MIB = 512;
const BACK_MS = 5_000;
const ANIMALS = 20_000;

await runDrill(async (drill) => {
  const { database, services, key } = await startStore(drill);
  const [service] = services;
  const values = "SELECT 'animal ' || n, n FROM generate_series(1, $1::int) n";
  await query(database.url, `INSERT INTO pets (name, category_id) ${values}`, [ANIMALS]);
  const proxy = await startHaproxy(drill, services);
  const isConfined = confine(drill, service);
  const generator = fork(new URL('support/load-process.mjs', import.meta.url), { serialization: 'advanced' });
  drill.defer(() => generator.kill());
  const load = async (shape) => {
    generator.send({ origin: proxy.origin, key, positions: ANIMALS - 100, ...shape });
    return (await once(generator, 'message'))[0];
  };

  await load({ clients: CLIENTS, seconds: 2 }); // warm
  const peak = await load({ clients: CLIENTS, seconds: PEAK_S });
  drill.figure('peak', `${isConfined ? 'half a core: ' : ''}${Math.round(peak.goodput)} a second; ${peak.tally}`);
  const before = memoryOf(service.pid);
  const over = await load({ perSecond: peak.goodput * TIMES, seconds: OVERLOAD_S });
  const back = await timeUntilNormal(proxy.origin, key);
  const again = await load({ clients: CLIENTS, seconds: PEAK_S }); // others may have come to use the machine
  const share = over.goodput / Math.min(peak.goodput, again.goodput);
  const most = memoryOf(service.pid);
  drill.figure(`${TIMES} × the peak`, `${Math.round(over.perSecond)} sent a second; ${over.tally}`);
  drill.figure(
    'goodput',
    `${Math.round(over.goodput)} a second, ${share.toFixed(2)} of the peak, then ${Math.round(again.goodput)}; slowest ${over.slowest} ms`,
  );
  drill.figure('memory', `${before} MiB before, ${most} MiB at most; normal after ${Math.round(back)} ms`);
  drill.expect(`the generator sends ${TIMES} times the peak`, over.perSecond >= peak.goodput * TIMES * 0.95);
  drill.expect(`goodput of at least ${GOODPUT} of the peak`, share >= GOODPUT);
  drill.expect(`the rest is refused properly (else ${over.wrong})`, over.refused > 0 && over.wrong === 'none');
  drill.expect(`memory at most ${MEMORY_MIB} MiB`, most <= MEMORY_MIB);
  drill.expect(`normal within ${BACK_MS} ms, without a restart`, back <= BACK_MS && service.isRunning());
});

/** The most that the process has had. */
function memoryOf(pid) {
  return Math.round(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1] / 1_024);
}

/** Ten in a row that succeed at once. */
async function timeUntilNormal(origin, key) {
  const from = performance.now();
  for (let row = 0; row < 10 && performance.now() - from < 2 * BACK_MS; await delay(20)) {
    const answer = await ask(origin, 'GET', '/v1/pets?limit=1', { key });
    row = succeeded(answer) && answer.ms < 200 ? row + 1 : 0;
  }
  return performance.now() - from;
}

/** To half a core, so that the load does not take from the service what it is measured with. */
function confine(drill, service) {
  const version1 = '/sys/fs/cgroup/cpu';
  const group = `${existsSync(version1) ? version1 : '/sys/fs/cgroup'}/drill-${process.pid}`;
  try {
    mkdirSync(group);
    drill.defer(() => service.stop('SIGKILL').then(() => rmdirSync(group)));
    if (existsSync(`${group}/cpu.max`)) writeFileSync(`${group}/cpu.max`, '5000 10000');
    else {
      writeFileSync(`${group}/cpu.cfs_period_us`, '10000');
      writeFileSync(`${group}/cpu.cfs_quota_us`, '5000');
    }
    writeFileSync(`${group}/cgroup.procs`, String(service.pid));
    return true;
  } catch {
    return false; // takes the rights of root
  }
}
