import { say } from '../../scripts/support/say.mjs';

/** What a drill gets: it tells progress, records figures and expectations, and leaves what is to be undone. */
export class Drill {
  #started = performance.now();
  #figures = [];
  #expectations = [];
  #undo = [];
  #cleaning = null;

  constructor(args) {
    /** What follows the drill's name on the command line. */
    this.args = args;
  }

  /** Whether a short form is asked for: for every change, where the long one is for releases. */
  get short() {
    return this.args.includes('--short');
  }

  /** Tells whoever is watching what happens now. */
  progress(text) {
    say(`[${((performance.now() - this.#started) / 1000).toFixed(1).padStart(6)} s] ${text}`);
  }

  /** Something that was measured, shown at the end. */
  figure(name, value) {
    this.#figures.push([name, String(value)]);
  }

  /** Something that has to hold for the drill to be passed. */
  expect(what, holds) {
    this.#expectations.push([what, holds]);
  }

  /** Called when the drill ends, however it does; the last one first. */
  defer(undo) {
    this.#undo.unshift(undo);
  }

  cleanUp() {
    return (this.#cleaning ??= this.#undoAll());
  }

  async stop(signal) {
    say(`Stopped by ${signal}.`);
    await this.cleanUp();
    process.exit(130);
  }

  /** Prints the outcome, also as a row of docs/drills.md when asked to; true when everything that was expected holds. */
  report(name) {
    const passed = this.#expectations.length > 0 && this.#expectations.every(([, holds]) => holds);
    const width = Math.max(0, ...this.#figures.map(([name]) => name.length));
    const lines = this.#figures.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`);
    const verdicts = this.#expectations.map(([what, holds]) => `  ${holds ? 'pass' : 'FAIL'}  ${what}`);
    process.stdout.write(`\n${[...lines, '', ...verdicts].join('\n')}\n`);
    if (this.args.includes('--markdown')) process.stdout.write(`\n${this.#row(name, passed)}\n`);
    return passed;
  }

  #row(name, passed) {
    const figures = this.#figures.map(([figure, value]) => `${figure}: ${value}`).join('; ');
    const failures = this.#expectations.filter(([, holds]) => !holds).map(([what]) => `**not** ${what}`);
    return `| \`${name}\` | ${[passed ? 'passed' : 'failed', figures, ...failures].join('; ').replaceAll('|', '\\|')} |`;
  }

  async #undoAll() {
    for (const undo of this.#undo) {
      await Promise.resolve()
        .then(undo)
        .catch((error) => say(`Cleaning up: ${error.message}`));
    }
  }
}
