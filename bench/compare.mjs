import { deepStrictEqual } from 'node:assert/strict';
import { startPostgres } from '../scripts/support/postgres.mjs';
import { say } from '../scripts/support/programs.mjs';
import { start } from './contestants.mjs';
import { fillDatabase, settle } from './database.mjs';
import { load, memory, moveServer } from './processes.mjs';
import { WORKLOADS } from './report.mjs';

const WARM_UP_SECONDS = 2;
/** 100 s after a start, V8 collects all garbage if it has not before, and forgets optimised code. Warming up takes longer. */
const SETTLED_MS = 110_000;
const ROUNDS_OF_A_PROCESS = 5; // one process can be luckier than another

/** Measures all contestants, one under load at a time, in turn. */
export async function compare(contestants, form) {
  const postgres = await startPostgres({ shared_buffers: '512MB', max_wal_size: '4GB', autovacuum: 'off' }); // durable
  moveServer(postgres);
  const few = await fillDatabase(postgres, form.flat ? 10_000 : form.rows);
  const many = form.flat && (await fillDatabase(postgres, form.many));
  const workloads = form.only?.split(',') ?? (form.flat ? ['deep', 'one', 'create'] : Object.keys(WORKLOADS));
  const all = contestants.map((one) => ({ ...one, database: one.hasMany ? many : few, measured: {}, starts: [] }));
  const takePart = (workload) => all.filter((one) => workload !== 'keyed' || one.readyPath);
  for (let round = 0; round < form.rounds; round++) {
    if (round % ROUNDS_OF_A_PROCESS === 0) {
      for (const one of all) await startAgain(one);
      if (!form.flat && round === 0) await requireSameAnswers(all);
      const settled = performance.now() + SETTLED_MS;
      do {
        for (const workload of workloads)
          for (const one of takePart(workload)) await load(one, one.database, workload, WARM_UP_SECONDS);
      } while (!form.quick && performance.now() < settled);
    }
    for (const { url } of [few, many].filter(Boolean)) await settle(url);
    for (const workload of workloads)
      for (const one of round % 2 ? takePart(workload).toReversed() : takePart(workload)) {
        const result = await load(one, one.database, workload, form.seconds);
        if (result.failed > result.requests / 100)
          throw new Error(`${one.name}: ${result.failed} answers were not 2xx.`);
        (one.measured[workload] ??= []).push(result);
        one.served += result.requests;
        const figures = `${result.rate.toFixed(0).padStart(6)} requests/s ${result.cpu.toFixed(0).padStart(5)} µs`;
        say(`round ${round + 1} of ${form.rounds}  ${workload.padEnd(7)} ${one.name.padEnd(11)}${figures}`);
      }
  }
  if (form.longRun > 0) await longRun(all, form.longRun);
  for (const one of all) await one.stop();
  postgres.remove();
  return { contestants: all, workloads, rounds: form.rounds, seconds: form.seconds, rows: few.rows };
}

/** Memory after so many requests, with those sent before, and on the way there. */
async function longRun(all, requests) {
  for (const one of all.filter(({ name }) => name === 'service' || name === 'by hand')) {
    one.memory = [memory(one.pid)];
    while (one.served < requests) {
      const workload = one.memory.length % 2 ? 'one' : 'page';
      one.served += (await load(one, one.database, workload, 10)).requests;
      one.memory.push(memory(one.pid));
      say(`${one.name} has served ${one.served} requests: ${one.memory.at(-1).toFixed(0)} MiB`);
    }
  }
}

async function startAgain(one) {
  await one.stop?.();
  Object.assign(one, await start(one, one.database), { served: 0 });
  one.starts.push(one.startMs);
  say(`${one.name} is ready after ${one.startMs.toFixed(0)} ms`);
}

const NEW = { name: 'Rex', categoryId: 7, status: 'sold' };

/** The same work for all. */
async function requireSameAnswers([first, ...others]) {
  const ask = async ({ origin, database }, path, body) => {
    const headers = { authorization: `Bearer ${database.key}`, 'content-type': 'application/json' };
    const create = body && { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(`${origin}/v1/pets${path}`, { headers, ...create });
    const next = /after=(\d+)[^>]*>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
    const value = await answer.json();
    const { id: _id, ...created } = value;
    return { status: answer.status, next, value: answer.ok ? (body ? created : value) : undefined };
  };
  const paths = ['', '?limit=3&after=40', '?limit=100&status=sold', '/7', '/999999999999', '?limit=101', '?after=x'];
  const changes = [{}, { name: 'Réx', status: undefined }, { name: '' }, { categoryId: undefined }, { status: 'gone' }];
  const creates = changes.map((each) => ({ path: '', body: { ...NEW, ...each } }));
  for (const { path, body } of [...paths.map((each) => ({ path: each })), ...creates]) {
    const expected = await ask(first, path, body);
    for (const other of others)
      deepStrictEqual(await ask(other, path, body), expected, `${other.name}: ${path} ${JSON.stringify(body)}`);
  }
}
