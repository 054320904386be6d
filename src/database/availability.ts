import { Logger } from '@nestjs/common';
import { DatabaseOutage } from './database-errors.js';

type State = 'connecting' | 'available' | 'away';

/** Whether the database can be used, as far as the heartbeat knows. Checked before every statement. */
export class Availability {
  private readonly logger = new Logger('Database');
  private readonly listeners = new Set<(outage: DatabaseOutage) => void>();
  private state: State = 'connecting';
  private since = performance.now();
  private respondedAt = 0;

  get isAvailable(): boolean {
    return this.state === 'available';
  }

  get isAway(): boolean {
    return this.state === 'away';
  }

  /** @throws {DatabaseOutage} unless the database is available */
  check(): void {
    if (this.state !== 'available') throw new DatabaseOutage();
  }

  onAway(listener: (outage: DatabaseOutage) => void): void {
    this.listeners.add(listener);
  }

  /** Called for every answer: a server that answers any connection is not away. */
  recordResponse(): void {
    this.respondedAt = performance.now();
  }

  silentFor(): number {
    return performance.now() - this.respondedAt;
  }

  markAvailable(): void {
    const { state } = this;
    const seconds = this.change('available');
    if (state === 'away') this.logger.warn(`The database is back after ${seconds} s.`);
  }

  markAway(reason: string): void {
    if (this.state === 'away') return;
    this.change('away');
    this.logger.error(
      `The database is away; every request that needs it is refused until it is back: ${reason}`,
    );
    for (const listener of this.listeners) listener(new DatabaseOutage());
  }

  /** Returns the seconds that the previous state lasted. */
  private change(state: State): string {
    const now = performance.now();
    const lasted = ((now - this.since) / 1000).toFixed(1);
    if (state !== this.state) Object.assign(this, { state, since: now });
    return lasted;
  }
}
