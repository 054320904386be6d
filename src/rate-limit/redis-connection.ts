import { Logger } from '@nestjs/common';
import type { ErrorReply, RedisClientType } from '@redis/client';
import { SERVICE_NAME } from '../common/contract.js';
import { LastingReason } from '../common/lasting-reason.js';
import { lookup } from '../common/lookup.js';
import { giveUpAfter } from '../common/patience.js';

/** Interval of the check for stalled commands. A command times out after 100 to 200 ms. */
const PATIENCE_MS = 100;
/** A process has fewer commands in flight unless Redis stalls. */
const MAX_IN_FLIGHT = 1_000;
const RECONNECT_MS = 1_000;
/** Longer than `socketTimeout`, by which the client gives up a Redis that is silent. */
const GREETING_MS = 2_000;
const PING_MS = 500;
/** The time without a refusal after which commands that succeed count as the end of it. */
const QUIET_MS = 5_000;
const BACK = 'Redis is back; limits are counted together again.';
const CLUSTER = 'it is a node of a Redis Cluster, which is not supported';
/** Written on each new connection, and kept for a millisecond. */
const PROBE = `${SERVICE_NAME}:probe`;

/** What answers is not Redis. */
export class NoCount extends Error {
  override readonly message = 'it answers without counting';
}

/**
 * A connection to Redis that delays a request by at most 200 ms when Redis stalls. A command that times out closes the connection,
 * which fails the other commands at once. Nothing is sent until Redis answers on a new connection.
 */
export class RedisConnection {
  private readonly logger = new Logger('RateLimits');
  private sent = 0;
  private ended = 0;
  /** Commands sent before the last check: they must have ended by the next one. */
  private due = 0;
  private cancelCheck: (() => void) | undefined;
  private reconnecting: NodeJS.Timeout | undefined;
  /** Until the connection is ready: an answer that never ends would be kept in memory. */
  private greeting: NodeJS.Timeout | undefined;
  /** Until a new connection has taken a write. */
  private isAway = false;
  private readonly reason = new LastingReason();
  /** When Redis last refused a command. */
  private refusedAt: number | undefined;

  private constructor(
    readonly client: RedisClientType,
    private readonly Refusal: typeof ErrorReply,
  ) {
    client.on('error', (error: Error) => {
      if (!client.isReady) clearTimeout(this.greeting); // the connection is lost
      // Of the client's own pings, for instance while Redis loads its data.
      if (client.isReady && error instanceof Refusal) this.reportRefusal(error);
      else this.reportOutage(error);
    });
    client.on('connect', () => {
      clearTimeout(this.greeting);
      this.greeting = setTimeout(() => this.giveUpGreeting(), GREETING_MS).unref();
    });
    client.on('ready', () => {
      clearTimeout(this.greeting);
      void this.probe();
    });
    client.connect().catch(() => {}); // reported as an error event already
  }

  /** Connects in the background. The library is imported only here, because it is a quarter of all modules. */
  static async to(url: string): Promise<RedisConnection> {
    const { createClient, ErrorReply } = await import('@redis/client');
    const client = createClient({
      url,
      disableOfflineQueue: true,
      commandsQueueMaxLength: MAX_IN_FLIGHT,
      // The client itself closes idle connections whose ping is not answered. It pings again only after an answer, so
      // the interval must be below the time-out.
      pingInterval: PING_MS,
      // For those of a vendor's servers, it would look the name up by itself, without a time limit, and with no IPv6 address.
      maintNotifications: 'disabled',
      socket: {
        lookup,
        connectTimeout: RECONNECT_MS,
        socketTimeout: 2 * PING_MS,
        reconnectStrategy: (attempts) => Math.min(100 * 2 ** attempts, RECONNECT_MS),
      },
    });
    return new RedisConnection(client, ErrorReply);
  }

  get isReady(): boolean {
    return this.client.isReady && !this.isAway && this.sent - this.ended < MAX_IN_FLIGHT;
  }

  /** Runs a command with a time limit. */
  async run<T>(command: () => Promise<T>): Promise<T> {
    this.sent++;
    this.cancelCheck ??= giveUpAfter(PATIENCE_MS, () => this.check());
    try {
      const result = await command();
      if (this.refusedAt !== undefined) this.reportAcceptance(this.refusedAt);
      return result;
    } catch (error) {
      if (error instanceof this.Refusal || error instanceof NoCount) this.reportRefusal(error);
      throw error;
    } finally {
      this.ended++;
    }
  }

  close(): void {
    this.isAway = true;
    this.cancelCheck?.();
    clearTimeout(this.reconnecting);
    clearTimeout(this.greeting);
    this.client.destroy();
  }

  /** A Redis that holds up writes, as during a failover, still greets and answers pings. */
  private async probe(): Promise<void> {
    const expiration = { type: 'PX', value: 1 } as const;
    const write = this.run(() => this.client.set(PROBE, '', { expiration }));
    await write.then(
      () => this.reportRecovery(),
      () => {}, // reported
    );
  }

  private check(): void {
    if (this.ended < this.due && this.client.isReady) {
      this.reportOutage(new Error(`no answer within ${PATIENCE_MS} ms`));
      this.reconnect();
    }
    this.due = this.sent;
    const isUnderWay = this.ended < this.sent;
    this.cancelCheck = isUnderWay ? giveUpAfter(PATIENCE_MS, () => this.check()) : undefined;
  }

  private giveUpGreeting(): void {
    if (this.client.isReady) return;
    this.reportOutage(new Error(`not ready within ${GREETING_MS} ms of connecting`));
    this.reconnect();
  }

  private reconnect(): void {
    if (!this.client.isOpen) return; // several commands failed together
    this.isAway = true;
    this.client.destroy();
    this.reconnecting = setTimeout(() => void this.client.connect().catch(() => {}), RECONNECT_MS).unref();
  }

  /** Logs each outage once, not each attempt to connect. */
  private reportOutage({ message, code = 'unknown error' }: NodeJS.ErrnoException): void {
    // An error of several addresses has no message, only a code.
    const reason = message || code;
    if (!this.isAway) {
      this.reason.begin(reason);
      this.logger.warn(`Redis: ${reason}; limits hold for this process until it is back`);
    } else if (this.reason.replaces(reason)) this.logger.warn(`Redis is still away: ${reason}`);
    this.isAway = true;
  }

  private reportRecovery(): void {
    if (this.isAway) this.logger.warn(BACK);
    this.isAway = false;
    this.refusedAt = undefined; // a refusal on this connection is logged again
  }

  /** Such as READONLY, OOM, NOAUTH or NOPERM. What follows the reason may quote the command, which names a client. */
  private reportRefusal({ message }: Error): void {
    const [reason] = message.startsWith('MOVED') ? [CLUSTER] : message.split(/[,.:]/, 1);
    if (this.refusedAt === undefined)
      this.logger.warn(`Redis refuses commands: ${reason}; limits hold for this process meanwhile`);
    this.refusedAt = performance.now();
    // After a failover, a new connection leads to the new primary.
    if (message.startsWith('READONLY')) this.reconnect();
    else this.isAway = false;
  }

  private reportAcceptance(refusedAt: number): void {
    if (this.isAway || performance.now() - refusedAt < QUIET_MS) return;
    this.refusedAt = undefined;
    this.logger.warn(BACK);
  }
}
