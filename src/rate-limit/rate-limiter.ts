import { setTimeout as delay } from 'node:timers/promises';
import type { RedisClientType } from '@redis/client';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { Allowance } from './allowance.js';
import { Windows } from './windows.js';

const WINDOW_SECONDS = 60;
const REDIS_PATIENCE_MS = 100;

/**
 * Counts what clients do, by the minute: across all replicas through Redis where there is one, and otherwise, or
 * while it does not answer, within this process.
 */
export class RateLimiter {
  /** As the IETF's draft on rate limit headers has it. */
  readonly policy: string;
  private readonly own = new Windows(WINDOW_SECONDS * 1000);
  private readonly shared: RateLimiterRedis | undefined;

  /** A limit of 0 is none. */
  constructor(
    readonly name: string,
    readonly limit: number,
    redis?: RedisClientType,
  ) {
    this.policy = `"${name}";q=${limit};w=${WINDOW_SECONDS}`;
    this.shared =
      redis &&
      new RateLimiterRedis({
        keyPrefix: `animal-store:${name}`,
        points: limit,
        duration: WINDOW_SECONDS,
        storeClient: redis,
        useRedisPackage: true,
      });
  }

  /** Takes one from the client's allowance, and says what is left. It waits for nothing but Redis. */
  take(client: string): Allowance | undefined | Promise<Allowance> {
    if (this.limit === 0) return undefined;
    return this.shared ? this.takeTogether(this.shared, client) : this.takeAlone(client);
  }

  private takeAlone(client: string): Allowance {
    // Whole milliseconds: with fractions, the rest of a window can come out as longer than the window.
    const now = Math.floor(performance.now());
    const { count, endsAt } = this.own.count(client, now);
    return new Allowance(this.limit - count, endsAt - now);
  }

  private async takeTogether(shared: RateLimiterRedis, client: string): Promise<Allowance> {
    const outcome = await Promise.race([shared.consume(client), giveUp()]).catch((error: unknown) => error);
    // What is refused comes as an error with the same numbers.
    if (!(outcome instanceof RateLimiterRes)) return this.takeAlone(client);
    return new Allowance(this.limit - outcome.consumedPoints, outcome.msBeforeNext);
  }
}

async function giveUp(): Promise<never> {
  await delay(REDIS_PATIENCE_MS, undefined, { ref: false });
  throw new Error('Redis does not answer');
}
