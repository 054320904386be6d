import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SERVICE_NAME } from '../common/contract.js';
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
    { rateLimitPerKey, rateLimitFailures, keyEnvironment }: Config,
    private readonly redis?: RedisConnection,
  ) {
    // Every deployment numbers its keys from 1.
    const prefix = `${SERVICE_NAME}:${keyEnvironment}`;
    this.requests = new RateLimiter('requests', rateLimitPerKey, redis, prefix);
    this.failures = new RateLimiter('failures', rateLimitFailures, redis, prefix);
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
