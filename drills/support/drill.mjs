import { setTimeout as delay } from 'node:timers/promises';
import { say } from '../../scripts/support/programs.mjs';

export const isShort = process.argv.includes('--short');

/** What happens in a drill: its figures, what it expects, and what must be undone at its end. */
class Drill {
  #undo = [];
  #failures = 0;
  #begun = performance.now();

  progress = (text) => say(`  ${this.#seconds().padStart(5)} s  ${text}`);

  figure = (name, value) => say(`           ${name}: ${value}`);

  expect(text, holds) {
    if (!holds) this.#failures++;
    say(`  ${holds ? 'ok      ' : 'FAILED  '} ${text}`);
  }

  defer = (undo) => this.#undo.push(undo);

  async end() {
    for (const undo of this.#undo.splice(0).toReversed())
      await Promise.resolve()
        .then(undo)
        .catch((error) => say(`  clean-up: ${error.message}`));
    say(`  ${this.#failures === 0 ? 'passed' : 'FELL SHORT'} in ${this.#seconds()} s`);
    return this.#failures === 0 ? 0 : 1;
  }

  #seconds = () => ((performance.now() - this.#begun) / 1_000).toFixed(1);
}

/** Runs a drill to its end and exits. */
export async function runDrill(run) {
  const drill = new Drill();
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void drill.end().then(() => process.exit(130)));
  await run(drill).catch((error) => drill.expect(`the drill completes: ${error.stack ?? error}`, false));
  process.exit(await drill.end());
}

/** Waits until `holds` gives something, and returns that. */
export async function until(what, holds, patienceMs = 20_000) {
  for (const end = performance.now() + patienceMs; performance.now() < end; await delay(20)) {
    const found = await holds();
    if (found) return found;
  }
  throw new Error(`After ${patienceMs / 1_000} s: ${what} did not happen.`);
}
