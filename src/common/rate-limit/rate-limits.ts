import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { createClient, type RedisClientType } from '@redis/client';
import { Config } from '../config/config.js';
import { RateLimiter } from './rate-limiter.js';

/** The limits of the service: requests by key, and failed credentials by address. */
@Injectable()
export class RateLimits implements OnApplicationShutdown {
  readonly requests: RateLimiter;
  readonly failures: RateLimiter;
  private readonly redis?: RedisClientType;

  constructor({ redisUrl, rateLimitPerKey, rateLimitFailures }: Config) {
    if (redisUrl) this.redis = connect(redisUrl);
    this.requests = new RateLimiter('requests', rateLimitPerKey, this.redis);
    this.failures = new RateLimiter('failures', rateLimitFailures, this.redis);
  }

  onApplicationShutdown(): void {
    this.redis?.destroy();
  }
}

/** Connects in the background, as often as it takes; while there is no connection, commands fail at once. */
function connect(url: string): RedisClientType {
  const logger = new Logger(RateLimits.name);
  const client: RedisClientType = createClient({
    url,
    disableOfflineQueue: true,
    socket: { connectTimeout: 1_000, reconnectStrategy: (attempts) => Math.min(100 * 2 ** attempts, 5_000) },
  });
  client.on('error', (error: Error) => logger.warn(`Redis: ${error.message}; limits hold for this process`));
  client.connect().catch(() => {}); // reported as an error event already
  return client;
}
