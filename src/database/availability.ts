import { Logger } from '@nestjs/common';
import { DatabaseOutage } from './database-errors.js';

/** A reason that holds for this time has replaced the one in the log. */
const LASTING_MS = 5_000;

/** Whether the database can be used, as far as the heartbeat knows. Checked before every statement. */
export class Availability {
  protected readonly logger = new Logger('Database');
  private readonly listeners = new Set<(outage: DatabaseOutage) => void>();
  private state: 'connecting' | 'available' | 'away' = 'connecting';
  private awaySince = 0;
  private loggedReason = '';
  private reason = '';
  private reasonSince = 0;
  private respondedAt = 0;

  get isAvailable(): boolean {
    return this.state === 'available';
  }

  get isAway(): boolean {
    return this.state === 'away';
  }

  /** @throws {DatabaseOutage} unless the database is available */
  check(): void {
    if (!this.isAvailable) throw new DatabaseOutage();
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
    if (this.isAway) this.logBack(((performance.now() - this.awaySince) / 1000).toFixed(1));
    this.state = 'available';
  }

  markAway(reason: string): void {
    const now = performance.now();
    if (reason !== this.reason || !this.isAway) this.reasonSince = now;
    this.reason = reason;
    if (this.isAway) {
      this.logLasting(now);
      return;
    }
    this.state = 'away';
    this.awaySince = now;
    this.loggedReason = reason;
    this.logAway(reason);
    for (const listener of this.listeners) listener(new DatabaseOutage());
  }

  /** The first reason may not be the one to mend: a server that has been restarted refuses the password. */
  private logLasting(now: number): void {
    if (this.reason === this.loggedReason || now - this.reasonSince < LASTING_MS) return;
    this.loggedReason = this.reason;
    this.logStillAway(this.reason);
  }

  protected logBack(seconds: string): void {
    this.logger.warn(`The database is back after ${seconds} s.`);
  }

  protected logAway(reason: string): void {
    this.logger.error(
      `The database is away; every request that needs it is refused until it is back: ${reason}`,
    );
  }

  protected logStillAway(reason: string): void {
    this.logger.error(`The database is still away: ${reason}`);
  }
}
