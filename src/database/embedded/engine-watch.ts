import type { Availability } from '../availability.js';
import type { EmbeddedDatabase } from './embedded-database.js';

const EVERY_MS = 1_000;

/** What the heartbeat is for a server. An engine that must be restarted never comes back. */
export class EngineWatch {
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    private readonly engine: Pick<EmbeddedDatabase, 'check'>,
    private readonly availability: Availability,
  ) {}

  start(): void {
    this.availability.markAvailable();
    this.schedule();
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  private schedule(): void {
    this.timer = setTimeout(() => void this.beat(), EVERY_MS).unref();
  }

  private async beat(): Promise<void> {
    try {
      await this.engine.check();
      if (!this.isStopped) this.schedule();
    } catch (error) {
      if (this.isStopped) return;
      const { message } = error as Error;
      this.availability.markAway(`${message}. Restore its folder if need be, then restart the service.`);
    }
  }
}
