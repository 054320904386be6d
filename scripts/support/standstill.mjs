import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

const TICK_MS = 20;
/** On a busy machine, a thread is late by less. */
const LONG_MS = 150;
/** Requests that waited meanwhile are refused for some time after. */
const AFTER_MS = 1_000;
const ATTEMPTS = 10;
/** Further ones replace the oldest. */
const KEPT = 1_000;

/** Of the machine: unlike that of `performance`, no test replaces this clock, and it is the same in all threads. */
const now = () => Number(process.hrtime.bigint()) / 1e6;
const offset = performance.now() - now();

/** The last tick, how many pauses there were, and the beginnings and the ends of those that are kept. */
const shared = new Float64Array(new SharedArrayBuffer(8 * (2 + 2 * KEPT)));
const [TICK, COUNT, PAUSES] = [0, 1, 2];
shared[TICK] = now();
/** In a thread of its own, which stands still only when the process does, as while the machine has other work. */
const watch = `
  const { workerData: shared } = require('node:worker_threads');
  const now = ${String(now)};
  setInterval(() => {
    const [from, to] = [shared[${TICK}], now()];
    shared[${TICK}] = to;
    if (to - from > ${LONG_MS}) shared.set([from, to], ${PAUSES} + 2 * (shared[${COUNT}]++ % ${KEPT}));
  }, ${TICK_MS});`;
new Worker(watch, { eval: true, workerData: shared }).unref();

/** With one that has just ended, and was not noted yet. */
function* pauses() {
  for (let at = PAUSES; at < PAUSES + 2 * Math.min(shared[COUNT], KEPT); at += 2)
    yield { from: shared[at], to: shared[at + 1] };
  const present = { from: shared[TICK], to: now() };
  if (present.to - present.from > LONG_MS) yield present;
}

/** For how many milliseconds the machine stood still in a time of `performance`: what was measured meanwhile says nothing. */
export function standstill(from = 0, to = Infinity) {
  let sum = 0;
  for (const pause of pauses())
    sum += Math.max(0, Math.min(to, pause.to + offset) - Math.max(from, pause.from + offset));
  return sum;
}

/** Whether a refusal in that time may be due to that. */
export function isDisturbed(from, to) {
  return standstill(from - AFTER_MS, to) > 0;
}

/** Repeats what was refused because the machine stood still, and nothing else. */
export async function despiteStandstill(attempt, isRefused) {
  for (let attempts = 1; ; attempts++) {
    const from = now() + offset;
    const result = await attempt();
    if (!isRefused(result) || !isDisturbed(from) || attempts === ATTEMPTS) return result;
    await delay(AFTER_MS / 5);
  }
}
