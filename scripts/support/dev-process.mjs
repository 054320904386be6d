import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const PATIENCE_MS = 500;

/** A standby process that has preloaded the packages and can become the service. */
export class DevProcess {
  #child;
  #ended;

  constructor(packages) {
    this.#child = fork(join(import.meta.dirname, 'dev-child.mjs'));
    this.#ended = once(this.#child, 'exit');
    this.#child.send(['preload', packages]);
  }

  /** Runs a task of dev-child.mjs; resolves to its error, if any. */
  async ask(task, url) {
    this.#child.send([task, url]);
    const answer = new Promise((resolve) => {
      this.#child.on('message', ([done, error]) => done === task && resolve(error));
    });
    const ended = this.#ended.then(
      ([code, signal]) => `The process exited with ${signal ?? `code ${code}`}.`,
    );
    return Promise.race([answer, ended]);
  }

  /** Kills the process after a short wait. That is safe: acknowledged data is durable. */
  async stop() {
    this.#child.kill('SIGTERM');
    await Promise.race([this.#ended, delay(PATIENCE_MS)]);
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}
