import { Logger } from '@nestjs/common';
import { DatabaseOutage } from './outage.js';

type State = 'connecting' | 'available' | 'away';

/** Whether the database can be used, as far as is known: who asks it for something looks here first. */
export class Availability {
  private readonly logger = new Logger('Database');
  private readonly listeners = new Set<(outage: DatabaseOutage) => void>();
  private state: State = 'connecting';
  private since = performance.now();
  private heardAt = 0;

  get isAvailable(): boolean {
    return this.state === 'available';
  }

  get isAway(): boolean {
    return this.state === 'away';
  }

  /** Refuses at once what would only wait for nothing. */
  check(): void {
    if (this.state !== 'available') throw new DatabaseOutage();
  }

  /** Called when the database goes away: what waits for it will not get an answer. */
  onAway(listener: (outage: DatabaseOutage) => void): void {
    this.listeners.add(listener);
  }

  /** To be told of every answer: a server that answers somebody is not away. */
  heard(): void {
    this.heardAt = performance.now();
  }

  silentFor(): number {
    return performance.now() - this.heardAt;
  }

  found(): void {
    const { state } = this;
    const seconds = this.change('available');
    if (state === 'away') this.logger.warn(`The database is back after ${seconds} s.`);
  }

  lost(reason: string): void {
    if (this.state === 'away') return;
    this.change('away');
    this.logger.error(
      `The database is away; every request that needs it is refused until it is back: ${reason}`,
    );
    for (const tell of this.listeners) tell(new DatabaseOutage());
  }

  /** Changes the state and tells how long the one before lasted. */
  private change(state: State): string {
    const now = performance.now();
    const lasted = ((now - this.since) / 1000).toFixed(1);
    if (state !== this.state) Object.assign(this, { state, since: now });
    return lasted;
  }
}
