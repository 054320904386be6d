import { setTimeout as delay } from 'node:timers/promises';

const TICK_MS = 20;
/** A busy process is late by less. */
const LONG_MS = 150;
/** Requests that waited meanwhile are refused for some time after. */
const AFTER_MS = 1_000;
const ATTEMPTS = 10;

/** When this process stood still, as it does when the machine has other work: what is measured meanwhile says nothing. */
const past = [];
let ticked = performance.now();
setInterval(() => {
  past.push(...present());
  ticked = performance.now();
}, TICK_MS).unref();

/** One that has just ended, and was not noted yet. */
function present() {
  const now = performance.now();
  return now - ticked > LONG_MS ? [{ from: ticked, to: now }] : [];
}

/** For how many milliseconds this process stood still in a time. */
export function standstill(from = 0, to = Infinity) {
  const overlaps = [...past, ...present()].map(
    (pause) => Math.min(to, pause.to) - Math.max(from, pause.from),
  );
  return overlaps.reduce((sum, overlap) => sum + Math.max(0, overlap), 0);
}

/** Whether a refusal in that time may be due to that. */
export function isDisturbed(from, to) {
  return standstill(from - AFTER_MS, to) > 0;
}

/** Repeats what was refused because this process stood still, and nothing else. */
export async function despiteStandstill(attempt, isRefused) {
  for (let attempts = 1; ; attempts++) {
    const from = performance.now();
    const result = await attempt();
    if (!isRefused(result) || !isDisturbed(from) || attempts === ATTEMPTS) return result;
    await delay(AFTER_MS / 5);
  }
}
