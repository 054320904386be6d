import { LRUCache } from 'lru-cache';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { Allowance } from './allowance.js';
import { NoCount, type RedisConnection } from './redis-connection.js';
import { MOST_CLIENTS, FixedWindows } from './fixed-windows.js';
import { type AskForPermits, Leases, type Taken } from './leases.js';
import { WINDOW_MS } from './permits.js';

const WINDOW_SECONDS = WINDOW_MS / 1000;

/** Limits an action of clients per minute: across replicas through Redis, or within this service while Redis is down. */
export class RateLimiter {
  /** The RateLimit-Policy header of the IETF draft. */
  readonly policy: string;
  private readonly local = new FixedWindows(WINDOW_MS);
  private readonly shared: RateLimiterRedis | undefined;
  private leases: Leases | undefined;
  /** Clients with nothing left, and the end of their window. */
  private readonly exhausted = new LRUCache<string, number>({ max: MOST_CLIENTS });

  /** A limit of 0 means no limit. */
  constructor(
    readonly name: string,
    readonly limit: number,
    private readonly redis?: RedisConnection,
    prefix = '',
  ) {
    this.policy = `"${name}";q=${limit};w=${WINDOW_SECONDS}`;
    this.shared =
      redis &&
      new RateLimiterRedis({
        keyPrefix: `${prefix}:${name}`,
        points: limit,
        duration: WINDOW_SECONDS,
        storeClient: redis.client,
        useRedisPackage: true,
      });
  }

  /** Without Redis, counts together with the other workers of this service. */
  countWith(ask: AskForPermits): void {
    this.leases = new Leases(this.name, this.limit, ask);
  }

  /** Counts one action of a client and returns what is left: as a promise only when another process has to be asked. */
  take(client: string): Allowance | undefined | Promise<Allowance> {
    if (this.limit === 0) return undefined;
    const { shared, redis } = this;
    return shared && redis?.isReady ? this.takeShared(shared, redis, client) : this.takeLocal(client);
  }

  /** Returns the allowance of a client that has nothing left, as far as this process knows. It counts nothing. */
  findExhausted(client: string): Allowance | undefined {
    const endsAt = this.exhausted.get(client) ?? 0;
    const now = Math.floor(performance.now());
    return endsAt > now ? new Allowance(-1, endsAt - now) : undefined;
  }

  private takeLocal(client: string): Allowance | Promise<Allowance> {
    // Whole milliseconds: with fractions, rounding could make the rest of a window longer than the window.
    const now = Math.floor(performance.now());
    if (this.leases) {
      const taken = this.leases.take(client, now);
      return taken instanceof Promise
        ? taken.then((late) => this.allowanceOf(late, client, now))
        : this.allowanceOf(taken, client, now);
    }
    const { count, endsAt } = this.local.count(client, now);
    return this.allowance(client, count, endsAt - now, now);
  }

  private async takeShared(
    shared: RateLimiterRedis,
    redis: RedisConnection,
    client: string,
  ): Promise<Allowance> {
    const counted = await redis.run(() => count(shared, client)).catch(() => undefined); // reported
    if (!counted) return this.takeLocal(client);
    const { consumedPoints, msBeforeNext } = counted;
    // The clock of Redis was set back, and the window would last that much longer.
    if (msBeforeNext > WINDOW_MS) redis.run(() => shared.delete(client)).catch(() => {}); // reported
    return this.allowance(
      client,
      consumedPoints,
      Math.min(msBeforeNext, WINDOW_MS),
      Math.floor(performance.now()),
    );
  }

  private allowanceOf({ left, endsAt }: Taken, client: string, now: number): Allowance {
    return this.allowance(client, this.limit - left, Math.max(0, endsAt - now), now);
  }

  private allowance(client: string, count: number, resetMs: number, now: number): Allowance {
    if (count >= this.limit) this.exhausted.set(client, now + resetMs);
    return new Allowance(this.limit - count, resetMs);
  }
}

async function count(shared: RateLimiterRedis, client: string): Promise<RateLimiterRes> {
  // The library throws the result when the limit is exceeded, and takes any answer for numbers.
  const result: unknown = await shared.consume(client).catch((reason: unknown) => reason);
  if (!(result instanceof RateLimiterRes)) throw result;
  if (!Number.isFinite(result.consumedPoints + result.msBeforeNext)) throw new NoCount();
  return result;
}
