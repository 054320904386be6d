import { setTimeout as delay } from 'node:timers/promises';
import type { RedisClientType } from '@redis/client';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { ApiError } from '../errors/api-error.js';

const WINDOW_SECONDS = 60;
const REDIS_PATIENCE_MS = 100;

/** How much a client may still do, and for how long. */
export interface Allowance {
  readonly remaining: number;
  readonly resetSeconds: number;
}

/**
 * Counts what clients do, by the minute: across all replicas through Redis where there is one, and otherwise, or
 * while it does not answer, within this process.
 */
export class RateLimiter {
  /** As the IETF's draft on rate limit headers has it. */
  readonly policy: string;
  private readonly own: RateLimiterMemory;
  private readonly shared?: RateLimiterRedis;

  /** A limit of 0 is none. */
  constructor(
    readonly name: string,
    readonly limit: number,
    redis?: RedisClientType,
  ) {
    this.policy = `"${name}";q=${limit};w=${WINDOW_SECONDS}`;
    const options = { keyPrefix: `animal-store:${name}`, points: limit, duration: WINDOW_SECONDS };
    this.own = new RateLimiterMemory(options);
    if (redis) {
      this.shared = new RateLimiterRedis({ ...options, storeClient: redis, useRedisPackage: true });
    }
  }

  /** Takes one from the client's allowance; throws 429 when there is nothing left. */
  take(client: string): Promise<Allowance | undefined> {
    return this.limit === 0 ? Promise.resolve(undefined) : this.count(client).then(allowance, refuse);
  }

  private count(client: string): Promise<RateLimiterRes> {
    return this.shared ? this.countTogether(this.shared, client) : this.own.consume(client);
  }

  private async countTogether(shared: RateLimiterRedis, client: string): Promise<RateLimiterRes> {
    try {
      return await Promise.race([shared.consume(client), giveUp()]);
    } catch (outcome) {
      if (outcome instanceof RateLimiterRes) throw outcome;
      return this.own.consume(client);
    }
  }
}

async function giveUp(): Promise<never> {
  await delay(REDIS_PATIENCE_MS, undefined, { ref: false });
  throw new Error('Redis does not answer');
}

function allowance({ remainingPoints, msBeforeNext }: RateLimiterRes): Allowance {
  return { remaining: remainingPoints, resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)) };
}

function refuse(outcome: unknown): never {
  if (!(outcome instanceof RateLimiterRes)) throw outcome;
  const { resetSeconds } = allowance(outcome);
  throw new ApiError('rate_limited', `Too many requests. Try again in ${resetSeconds} seconds.`, {
    'retry-after': String(resetSeconds),
  });
}
