import { readFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { TestEnvironment } from 'jest-environment-node';

/**
 * Engines that no test file uses now. Unlike all else in here they outlive the files, each with a database that the
 * next one empties: starting an engine takes fifty times as long.
 */
const idle = [];

const engines = {
  start: startEngine,
  take: async () => idle.pop() ?? startEngine(),
  giveBack: (engine) => void idle.push(engine),
};

async function startEngine() {
  const loadDataDir = new Blob([await readFile(process.env.EMPTY_DATABASE)]);
  // It would keep a timer, and with it this process, for ten seconds.
  const startParams = [...PGlite.defaultStartParams, '-c', 'log_startup_progress_interval=0'];
  return PGlite.create({ loadDataDir, startParams });
}

/**
 * What the tests add to Jest: engines, which run faster out here than in the sandbox of a test file; the last exchange with
 * a failure; and skips of what needs the inside.
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

/** Against a running deployment: whatever failed after it, for want of what was not there, is no failure either. */
function skipWithoutInside(test) {
  const need = test.errors.flat().find((error) => error?.name === 'NeedsTheInside');
  if (!need) return;
  test.errors = [];
  test.status = 'skip';
  test.name = `${test.name} (${need.message})`;
}
