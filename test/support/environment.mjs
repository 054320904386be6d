import { readFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { TestEnvironment } from 'jest-environment-node';

/**
 * Idle engines with an empty database. They outlive the test files, because starting an engine takes fifty times as
 * long as emptying one.
 */
const idle = [];

const engines = {
  start: startEngine,
  take: async () => idle.pop() ?? startEngine(),
  giveBack: (engine) => void idle.push(engine),
};

async function startEngine() {
  const loadDataDir = new Blob([await readFile(process.env.EMPTY_DATABASE)]);
  // The default starts a timer that keeps the process alive for ten seconds.
  const startParams = [...PGlite.defaultStartParams, '-c', 'log_startup_progress_interval=0'];
  return PGlite.create({ loadDataDir, startParams });
}

/**
 * Extends Jest's environment: engines run here because they are faster outside the sandbox of a test file, failures
 * show the last HTTP exchange, and tests that a running deployment cannot support are skipped.
 */
export default class Environment extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.engines = engines;
  }

  handleTestEvent(event) {
    if (event.name === 'test_start') this.global.showLastExchange = undefined;
    if (event.name === 'test_fn_failure') this.#showExchange(event.error);
    if (event.name === 'test_done') skipWithoutInside(event.test);
  }

  async teardown() {
    for (const stop of this.global.runningServices ?? []) await stop();
    await super.teardown();
  }

  #showExchange(error) {
    const exchange = this.global.showLastExchange?.();
    if (!exchange || typeof error?.stack !== 'string') return;
    const shown = `The last request and its answer:\n\n${exchange.replaceAll(/^/gm, '    ')}\n`;
    const frames = error.stack.search(/^\s+at /m);
    const end = frames < 0 ? error.stack.length : frames;
    error.stack = `${error.stack.slice(0, end).trimEnd()}\n\n${shown}\n${error.stack.slice(end)}`;
  }
}

/** Marks a test as skipped if it needs more than a running deployment, and drops the errors that follow from that. */
function skipWithoutInside(test) {
  const need = test.errors.flat().find((error) => error?.name === 'NeedsTheInside');
  if (!need) return;
  test.errors = [];
  test.status = 'skip';
  test.name = `${test.name} (${need.message})`;
}
