// What a drill tells, what it expects, and what it undoes at its end.
import { setTimeout as delay } from 'node:timers/promises';
import { say } from '../../scripts/support/programs.mjs';

export const isShort = process.argv.includes('--short');

const deferred = [];
let failures = 0;

const seconds = () => (performance.now() / 1_000).toFixed(1);

export const tell = (text) => say(`  ${seconds().padStart(5)} s  ${text}`);

export function expect(text, holds) {
  if (!holds) failures++;
  say(`  ${holds ? 'ok      ' : 'FAILED  '} ${text}`);
}

/** What is deferred last is done first. */
export const defer = (undo) => deferred.push(undo);

/** Runs a drill to its end and exits. */
export async function runDrill(run) {
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void fail(signal));
  process.on('uncaughtException', fail); // in a loop that nobody waits for yet
  await run().then(end, fail);
}

async function fail(error) {
  expect(`the drill completes: ${error.stack ?? error}`, false);
  await end();
}

async function end() {
  while (deferred.length > 0) {
    const undo = deferred.pop();
    await Promise.resolve()
      .then(undo)
      .catch((error) => say(`  clean-up: ${error.message}`));
  }
  say(`  ${failures === 0 ? 'passed' : 'FELL SHORT'} in ${seconds()} s`);
  process.exit(failures === 0 ? 0 : 1);
}

/** Waits until `holds` gives something, and returns that. */
export async function until(what, holds, patienceMs = 20_000) {
  for (const stop = performance.now() + patienceMs; performance.now() < stop; await delay(20)) {
    const found = await holds();
    if (found) return found;
  }
  throw new Error(`After ${patienceMs / 1_000} s: ${what} did not happen.`);
}
