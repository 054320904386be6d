import { Logger } from '@nestjs/common';
import type { ClientBase } from 'pg';
import { LastingReason } from '../common/lasting-reason.js';
import { DatabaseOutage } from './database-errors.js';

export interface ServerClient extends ClientBase {
  /** That of its server process, unless there is a pooler. */
  readonly processID?: number;
  /** As `SERVER` tells it, unless there is a pooler. */
  readonly server?: string | undefined;
  /** With an overdue answer: since when its server process hangs, waiting neither for a standby nor for us, or may hang. */
  hangsSince?: number | undefined;
}

/** A single failure may be a moment of the network. */
const LASTING = { count: 3, ms: 1_000 };

/** For so long after one that was lost, answers that do not come are put down to the way. */
const LOSSY_MS = 10_000;

/** Whether the database can be used, as far as the heartbeat knows. Checked before every statement. */
export class Availability {
  /** All connections but the heartbeat's. */
  readonly connections = new Set<ServerClient>();
  /** Those whose answer is overdue. */
  readonly overdue = new Set<ServerClient>();
  /** The latest beginning of a transaction whose commit was answered. */
  committedAt = -Infinity;
  private answersLostAt = -Infinity;
  protected readonly logger = new Logger('Database');
  private readonly listeners = new Set<(outage: DatabaseOutage) => void>();
  private state: 'connecting' | 'available' | 'away' = 'connecting';
  private awaySince = 0;
  private readonly reason = new LastingReason();
  private respondedAt = 0;
  private readonly failing = { since: 0, count: 0, isLogged: false };

  get isStarting(): boolean {
    return this.state === 'connecting';
  }

  get isAvailable(): boolean {
    return this.state === 'available';
  }

  get isAway(): boolean {
    return this.state === 'away';
  }

  /** How long ago the present outage began; 0 if there is none. */
  awayFor(): number {
    return this.isAway ? performance.now() - this.awaySince : 0;
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

  /** Of one that has changed something: others need not wait for a standby. */
  recordCommit(begunAt: number): void {
    this.committedAt = Math.max(this.committedAt, begunAt);
  }

  /** Connections were closed whose answers had got lost on their way. */
  recordLostAnswers(): void {
    this.answersLostAt = performance.now();
  }

  /** Whether answers were lost so of late. */
  get losesAnswers(): boolean {
    return performance.now() - this.answersLostAt < LOSSY_MS;
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

  /** The connections that are there may go on, and so may the heartbeat's. During an outage it is no news. */
  recordFailedConnection(reason: string): void {
    const { failing } = this;
    if (!this.isAvailable || failing.isLogged) return;
    const now = performance.now();
    if (failing.count++ === 0) failing.since = now;
    if (failing.count < LASTING.count || now - failing.since < LASTING.ms) return;
    failing.isLogged = true;
    this.logger.error(
      `New connections to the database fail, and requests that need one are answered 503: ${reason}`,
    );
  }

  recordConnection(): void {
    const { failing } = this;
    if (failing.isLogged) this.logger.warn('New connections to the database are made again.');
    Object.assign(failing, { count: 0, isLogged: false });
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
