import { Logger } from '@nestjs/common';
import type { ClientBase } from 'pg';
import { LastingReason } from '../common/lasting-reason.js';
import { DatabaseOutage } from './database-errors.js';

export interface ServerClient extends ClientBase {
  /** That of its server process, unless there is a pooler. */
  readonly processID?: number;
  /** With an overdue answer: since when its server process is known to hang: it waits neither for a standby nor for us. */
  hangsSince?: number | undefined;
}

/** Whether the database can be used, as far as the heartbeat knows. Checked before every statement. */
export class Availability {
  /** All connections but the heartbeat's. */
  readonly connections = new Set<ServerClient>();
  /** Those whose answer is overdue. */
  readonly overdue = new Set<ServerClient>();
  protected readonly logger = new Logger('Database');
  private readonly listeners = new Set<(outage: DatabaseOutage) => void>();
  private state: 'connecting' | 'available' | 'away' = 'connecting';
  private awaySince = 0;
  private readonly reason = new LastingReason();
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

  markAvailable(since = performance.now()): void {
    if (this.isAway) this.logBack((Math.max(0, since - this.awaySince) / 1000).toFixed(1));
    this.state = 'available';
  }

  markAway(reason: string): void {
    if (this.isAway) {
      if (this.reason.replaces(reason)) this.logStillAway(reason);
      return;
    }
    this.state = 'away';
    this.awaySince = performance.now();
    this.reason.begin(reason);
    this.logAway(reason);
    for (const listener of this.listeners) listener(new DatabaseOutage());
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
