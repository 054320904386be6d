import type { Availability } from '../availability.js';
import type { EmbeddedDatabase } from './embedded-database.js';

const EVERY_MS = 1_000;

/** What the heartbeat is for a server. An engine that must be restarted never comes back. */
export class EngineWatch {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly engine: Pick<EmbeddedDatabase, 'check'>,
    private readonly availability: Availability,
  ) {}

  start(): void {
    this.availability.markAvailable();
    this.timer = setInterval(() => void this.beat(), EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async beat(): Promise<void> {
    await this.engine.check().catch(({ message }: Error) => {
      this.stop();
      this.availability.markAway(`${message}. Restore its folder if need be, then restart the service.`);
    });
  }
}
