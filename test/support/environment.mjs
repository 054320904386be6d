import { readFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { TestEnvironment } from 'jest-environment-node';
import { despiteStandstill, isDisturbed } from '../../scripts/support/standstill.mjs';

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
 * show the last HTTP exchange and the errors of the log, and tests that a running deployment cannot support are skipped.
 * Whether the machine stood still is seen here as well, by one thread for all files.
 */
export default class Environment extends TestEnvironment {
  async setup() {
    await super.setup();
    this.global.engines = engines;
    this.global.machine = { despiteStandstill, isDisturbed };
  }

  async handleTestEvent(event) {
    if (event.name === 'test_start' || event.name === 'run_describe_start') {
      this.global.showLastExchange = undefined;
      this.global.loggedErrors = [];
    }
    if (event.name === 'test_fn_failure' || event.name === 'hook_failure') {
      this.#show(event.error, 'The last request and its answer', this.global.showLastExchange?.());
      const { length, [length - 1]: last } = this.global.loggedErrors ?? [];
      const title = `The service logged ${length > 1 ? `${length} errors, the last of them` : 'an error'}`;
      this.#show(event.error, title, last && readable(last));
    }
    if (event.name === 'test_done') skipWithoutInside(event.test);
    if (event.name === 'run_finish') await this.#stopServices();
  }

  /** Services of a file that failed to load; in other files, they can still load modules when the run finishes. */
  async teardown() {
    await this.#stopServices();
    await super.teardown();
  }

  async #stopServices() {
    for (const stop of this.global.runningServices ?? []) await stop();
  }

  /** Puts a text between the message of an error and its stack. */
  #show(error, title, text) {
    if (!text || typeof error?.stack !== 'string') return;
    const shown = `${title}:\n\n${text.replaceAll(/^/gm, '    ')}\n`;
    const frames = error.stack.search(/^\s+at /m);
    const end = frames < 0 ? error.stack.length : frames;
    error.stack = `${error.stack.slice(0, end).trimEnd()}\n\n${shown}\n${error.stack.slice(end)}`;
  }
}

/** A line of the log with the stack of its error, as a developer would read it. */
function readable(line) {
  const { msg, requestId, err } = JSON.parse(line);
  return [[msg, requestId && `(${requestId})`].filter(Boolean).join(' '), err?.stack]
    .filter(Boolean)
    .join('\n');
}

/** Marks a test as skipped if it needs more than a running deployment, and drops the errors that follow from that. */
function skipWithoutInside(test) {
  const need = test.errors.flat().find((error) => error?.name === 'NeedsTheInside');
  if (!need) return;
  test.errors = [];
  test.status = 'skip';
  test.name = `${test.name} (${need.message})`;
}
