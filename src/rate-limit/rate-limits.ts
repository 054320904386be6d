import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Config } from '../common/config/config.js';
import type { AskForPermits } from './leases.js';
import { RateLimiter } from './rate-limiter.js';
import { RedisConnection } from './redis-connection.js';

/** The limits of the service: requests per key, and failed credentials per address. */
@Injectable()
export class RateLimits implements OnApplicationShutdown {
  readonly requests: RateLimiter;
  readonly failures: RateLimiter;

  constructor(
    { rateLimitPerKey, rateLimitFailures }: Config,
    private readonly redis?: RedisConnection,
  ) {
    this.requests = new RateLimiter('requests', rateLimitPerKey, this.redis);
    this.failures = new RateLimiter('failures', rateLimitFailures, this.redis);
  }

  static async start(config: Config): Promise<RateLimits> {
    return new RateLimits(config, config.redisUrl ? await RedisConnection.to(config.redisUrl) : undefined);
  }

  /** Holds the limits for all workers of this service together. */
  countWith(ask: AskForPermits): void {
    for (const limiter of [this.requests, this.failures]) limiter.countWith(ask);
  }

  onApplicationShutdown(): void {
    this.redis?.close();
  }
}
