import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { RedisClientType } from '@redis/client';
import { Config } from '../common/config/config.js';
import { RateLimiter } from './rate-limiter.js';

/** The limits of the service: requests by key, and failed credentials by address. */
@Injectable()
export class RateLimits implements OnApplicationShutdown {
  readonly requests: RateLimiter;
  readonly failures: RateLimiter;

  constructor(
    { rateLimitPerKey, rateLimitFailures }: Config,
    private readonly redis?: RedisClientType,
  ) {
    this.requests = new RateLimiter('requests', rateLimitPerKey, this.redis);
    this.failures = new RateLimiter('failures', rateLimitFailures, this.redis);
  }

  static async start(config: Config): Promise<RateLimits> {
    return new RateLimits(config, config.redisUrl ? await connect(config.redisUrl) : undefined);
  }

  onApplicationShutdown(): void {
    this.redis?.destroy();
  }
}

/**
 * Connects in the background, as often as it takes; while there is no connection, commands fail at once. The client is
 * loaded only here: it is a quarter of all the modules that there are.
 */
async function connect(url: string): Promise<RedisClientType> {
  const { createClient } = await import('@redis/client');
  const logger = new Logger('RateLimits');
  const client: RedisClientType = createClient({
    url,
    disableOfflineQueue: true,
    socket: { connectTimeout: 1_000, reconnectStrategy: (attempts) => Math.min(100 * 2 ** attempts, 5_000) },
  });
  client.on('error', (error: Error) => logger.warn(`Redis: ${error.message}; limits hold for this process`));
  client.connect().catch(() => {}); // reported as an error event already
  return client;
}
