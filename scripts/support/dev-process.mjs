import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const PATIENCE_MS = 500;

/** A process that has loaded the packages, and waits to become the service. */
export class DevProcess {
  #child;
  #ended;

  constructor(packages) {
    this.#child = fork(join(import.meta.dirname, 'dev-child.mjs'));
    this.#ended = once(this.#child, 'exit');
    this.#child.send(['preload', packages]);
  }

  /** Loads code, and says what is wrong with it. */
  async ask(task, url) {
    this.#child.send([task, url]);
    const answer = new Promise((resolve) => {
      this.#child.on('message', ([done, error]) => done === task && resolve(error));
    });
    const ended = this.#ended.then(([code, signal]) => `It ended with ${signal ?? `the exit code ${code}`}.`);
    return Promise.race([answer, ended]);
  }

  /** It need not be patient with clients: a process that is killed loses nothing that was stored. */
  async stop() {
    this.#child.kill('SIGTERM');
    await Promise.race([this.#ended, delay(PATIENCE_MS)]);
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}
