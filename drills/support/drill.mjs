// What a drill tells, what it expects, and what it undoes at its end.
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { say } from '../../scripts/support/programs.mjs';

export const isShort = process.argv.includes('--short');

const name = basename(process.argv[1], '.mjs').padEnd(15); // two drills may run at once
const deferred = [];
let failures = 0;

export function tell(text, mark = '') {
  const seconds = (performance.now() / 1_000).toFixed(1).padStart(6);
  say(`${name} ${seconds} s  ${mark.padEnd(6)}  ${text}`);
}

export function expect(text, holds) {
  if (!holds) failures++;
  tell(text, holds ? 'ok' : 'FAILED');
}

/** What is deferred last is done first. */
export const defer = (undo) => deferred.push(undo);

/** Runs a drill to its end and exits. */
export async function runDrill(run) {
  const interrupted = new Promise((_, reject) => {
    // An exception is one in a loop that nobody waits for yet.
    for (const event of ['SIGINT', 'SIGTERM', 'uncaughtException']) process.on(event, reject);
  });
  await Promise.race([run(), interrupted]).catch((error) => {
    expect(`the drill completes: ${error.stack ?? error}`, false);
  });
  for (const undo of deferred.toReversed())
    await (async () => undo())().catch((error) => tell(`clean-up: ${error.message}`));
  tell(failures === 0 ? 'passed' : 'FELL SHORT');
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
