import { LRUCache } from 'lru-cache';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { Allowance } from './allowance.js';
import type { RedisConnection } from './redis-connection.js';
import { MOST_CLIENTS, FixedWindows } from './fixed-windows.js';

const WINDOW_SECONDS = 60;

/**
 * Counts what clients do, by the minute: across all replicas through Redis where there is one, and otherwise, or
 * while it does not answer, within this process.
 */
export class RateLimiter {
  /** As the IETF's draft on rate limit headers has it. */
  readonly policy: string;
  private readonly own = new FixedWindows(WINDOW_SECONDS * 1000);
  private readonly shared: RateLimiterRedis | undefined;
  /** Clients with nothing left, and until when. */
  private readonly spent = new LRUCache<string, number>({ max: MOST_CLIENTS });

  /** A limit of 0 is none. */
  constructor(
    readonly name: string,
    readonly limit: number,
    private readonly redis?: RedisConnection,
  ) {
    this.policy = `"${name}";q=${limit};w=${WINDOW_SECONDS}`;
    this.shared =
      redis &&
      new RateLimiterRedis({
        keyPrefix: `animal-store:${name}`,
        points: limit,
        duration: WINDOW_SECONDS,
        storeClient: redis.client,
        useRedisPackage: true,
      });
  }

  /** Takes one from the client's allowance, and says what is left. It waits for nothing but Redis. */
  take(client: string): Allowance | undefined | Promise<Allowance> {
    if (this.limit === 0) return undefined;
    const { shared, redis } = this;
    return shared && redis?.isReady ? this.takeShared(shared, redis, client) : this.takeLocal(client);
  }

  /** The refusal of a client that was told lately that it has nothing left; asks nobody and takes nothing. */
  refusal(client: string): Allowance | undefined {
    const endsAt = this.spent.get(client) ?? 0;
    const now = Math.floor(performance.now());
    return endsAt > now ? new Allowance(-1, endsAt - now) : undefined;
  }

  private takeLocal(client: string): Allowance {
    // Whole milliseconds: with fractions, the rest of a window can come out as longer than the window.
    const now = Math.floor(performance.now());
    const { count, endsAt } = this.own.count(client, now);
    return this.allowance(client, count, endsAt - now, now);
  }

  private async takeShared(
    shared: RateLimiterRedis,
    redis: RedisConnection,
    client: string,
  ): Promise<Allowance> {
    const outcome = await redis.run(() => shared.consume(client)).catch((error: unknown) => error);
    // What is refused comes as an error with the same numbers.
    if (!(outcome instanceof RateLimiterRes)) return this.takeLocal(client);
    return this.allowance(
      client,
      outcome.consumedPoints,
      outcome.msBeforeNext,
      Math.floor(performance.now()),
    );
  }

  private allowance(client: string, count: number, resetMs: number, now: number): Allowance {
    if (count >= this.limit) this.spent.set(client, now + resetMs);
    return new Allowance(this.limit - count, resetMs);
  }
}
