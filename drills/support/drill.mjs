import { say } from '../../scripts/support/say.mjs';
import { standstill } from '../../scripts/support/standstill.mjs';

/** The context of a running drill: reports progress, records figures and expectations, and cleans up. */
export class Drill {
  #started = performance.now();
  #figures = [];
  #expectations = [];
  #undo = [];
  #cleaning = null;

  constructor(args) {
    /** The command-line arguments after the name of the drill. */
    this.args = args;
  }

  /** Whether to run the short form, which is meant for every change; the long one is for releases. */
  get short() {
    return this.args.includes('--short');
  }

  /** Prints what the drill does now. */
  progress(text) {
    say(`[${((performance.now() - this.#started) / 1000).toFixed(1).padStart(6)} s] ${text}`);
  }

  /** Records a measurement for the report. */
  figure(name, value) {
    this.#figures.push([name, String(value)]);
  }

  /** Records a condition of passing the drill. */
  expect(what, holds) {
    this.#expectations.push([what, holds]);
  }

  /** Registers a clean-up step. They run in reverse order, however the drill ends. */
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

  /** Prints the report, with --markdown also the outcome for docs/drills.md. Returns whether the drill passed. */
  report() {
    const stoodStill = standstill();
    if (stoodStill > 0) this.figure('the machine stood still', `${stoodStill.toFixed(0)} ms, left out`);
    const passed = this.#expectations.length > 0 && this.#expectations.every(([, holds]) => holds);
    const width = Math.max(0, ...this.#figures.map(([name]) => name.length));
    const lines = this.#figures.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`);
    const verdicts = this.#expectations.map(([what, holds]) => `  ${holds ? 'pass' : 'FAIL'}  ${what}`);
    process.stdout.write(`\n${[...lines, '', ...verdicts].join('\n')}\n`);
    if (this.args.includes('--markdown')) process.stdout.write(`\n${this.#outcome(passed)}\n`);
    return passed;
  }

  #outcome(passed) {
    const figures = this.#figures.map(([figure, value]) => `${figure}: ${value}`);
    const failures = this.#expectations.filter(([, holds]) => !holds).map(([what]) => `**not** ${what}`);
    return [passed ? 'passed' : 'failed', ...figures, ...failures].join('; ').replaceAll('|', '\\|');
  }

  async #undoAll() {
    for (const undo of this.#undo) {
      await Promise.resolve()
        .then(undo)
        .catch((error) => say(`Clean-up failed: ${error.message}`));
    }
  }
}
