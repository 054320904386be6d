import { freePort } from '../../scripts/support/free-port.mjs';
import { launchService, ready } from './service.mjs';

/** Restarts the service on the same port whenever it exits, like systemd, Docker or Kubernetes. */
export class Supervisor {
  #drill;
  #settings;
  #service;
  #stopped = false;
  /** The number of exits that this class did not cause. */
  crashes = 0;
  #killed = false;

  static async start(drill, settings) {
    const supervisor = new Supervisor();
    supervisor.#drill = drill;
    supervisor.#settings = settings;
    await supervisor.#launch(await freePort());
    drill.defer(() => supervisor.stop());
    await supervisor.ready();
    return supervisor;
  }

  get origin() {
    return this.#service.origin;
  }

  /** Kills the service with SIGKILL; resolves to the time of that, after the restart. */
  async kill() {
    const { child } = this.#service;
    const killedAt = performance.now();
    const relaunched = this.relaunched;
    this.#killed = true;
    if (!child.kill('SIGKILL')) throw new Error('The service is not running.');
    await relaunched;
    return killedAt;
  }

  /** Resolves to the time when the service is ready. */
  ready() {
    return ready(this.#service);
  }

  async stop() {
    this.#stopped = true;
    await this.#service.stop();
  }

  async #launch(port) {
    this.#service = await launchService(this.#drill, this.#settings, { port });
    this.relaunched = this.#launchAgain(port);
  }

  async #launchAgain(port) {
    await this.#service.exited;
    if (this.#stopped) return;
    if (!this.#killed) this.crashes++;
    this.#killed = false;
    await this.#launch(port);
  }
}
