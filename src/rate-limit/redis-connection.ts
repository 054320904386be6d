import { Logger } from '@nestjs/common';
import type { RedisClientType } from '@redis/client';

/** How often the commands under way are looked at: one without an answer is given up after 100 to 200 ms. */
const PATIENCE_MS = 100;
/** Beyond these nobody waits for Redis: a process has fewer requests under way unless Redis stalls. */
const MOST_UNDER_WAY = 1_000;
const RECONNECT_MS = 1_000;
const PING_MS = 500;

/**
 * The connection to Redis, as long as it answers. A command without an answer takes the connection down, which releases
 * all the others; until a new one answers, nothing is sent.
 */
export class RedisConnection {
  private readonly logger = new Logger('RateLimits');
  private sent = 0;
  private ended = 0;
  /** What was sent by the last look: its answers have to be there by the next one. */
  private due = 0;
  private watch: NodeJS.Timeout | undefined;
  private isTold = false;

  private constructor(readonly client: RedisClientType) {
    client.on('error', (error: Error) => this.tell(error));
    client.on('ready', () => this.reportRecovery());
    client.connect().catch(() => {}); // reported as an error event already
  }

  /** Connects in the background, for as long as it takes. The client is loaded only here: it is a quarter of all modules. */
  static async at(url: string): Promise<RedisConnection> {
    const { createClient } = await import('@redis/client');
    const client = createClient({
      url,
      disableOfflineQueue: true,
      commandsQueueMaxLength: MOST_UNDER_WAY,
      // A connection without traffic, or one whose handshake is not answered, is given up by the client itself. It pings
      // only after the last ping was answered, so the interval must be below the time-out.
      pingInterval: PING_MS,
      socket: {
        connectTimeout: RECONNECT_MS,
        socketTimeout: 2 * PING_MS,
        reconnectStrategy: (attempts) => Math.min(100 * 2 ** attempts, RECONNECT_MS),
      },
    });
    return new RedisConnection(client);
  }

  /** Whether a command sent now can expect an answer. */
  get isReady(): boolean {
    return this.client.isReady && this.sent - this.ended < MOST_UNDER_WAY;
  }

  /** Watches over a command: it settles soon, whatever becomes of Redis. */
  async run<T>(command: () => Promise<T>): Promise<T> {
    this.sent++;
    this.watch ??= setTimeout(() => this.look(), PATIENCE_MS).unref();
    try {
      return await command();
    } finally {
      this.ended++;
    }
  }

  close(): void {
    this.isTold = true;
    clearTimeout(this.watch);
    this.client.destroy();
  }

  private look(): void {
    // When this process was too busy to listen, answers may have arrived that have not been read.
    setImmediate(() => setImmediate(() => this.judge()));
  }

  private judge(): void {
    if (this.ended < this.due && this.client.isReady) this.reconnect();
    this.due = this.sent;
    this.watch = this.ended < this.sent ? setTimeout(() => this.look(), PATIENCE_MS).unref() : undefined;
  }

  private reconnect(): void {
    this.tell(new Error(`no answer within ${PATIENCE_MS} ms`));
    this.client.destroy();
    this.client.connect().catch(() => {});
  }

  /** Once for each outage, not for each attempt to connect. */
  private tell({ message, code = 'unknown error' }: NodeJS.ErrnoException): void {
    // When each of several addresses failed, there is only the code.
    if (!this.isTold)
      this.logger.warn(`Redis: ${message || code}; limits hold for this process until it is back`);
    this.isTold = true;
  }

  private reportRecovery(): void {
    if (this.isTold) this.logger.warn('Redis is back; limits are counted together again.');
    this.isTold = false;
  }
}
