import { type CanActivate, type ExecutionContext, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { RedisClientType } from '@redis/client';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as flexible from 'rate-limiter-flexible';
import { ApiError } from '../api/errors.js';
import { type Config, SERVICE_NAME } from '../common/config.js';

const WINDOW_SECONDS = 60;
/** How long a request waits for Redis before this process counts alone. */
const REDIS_MS = 50;
/** The client pings and reconnects at this interval, and gives up a connection that is silent for twice as long. */
const PING_MS = 500;
/** When so many have no answer, requests no longer wait. */
const MOST_COMMANDS = 300;

/** Limits an action of clients per minute: together with other replicas if there is a Redis, else in this process. */
class RateLimiter {
  private readonly counter: flexible.RateLimiterMemory | flexible.RLWrapperTimeouts;

  /** A limit of 0 means no limit. */
  constructor(
    private readonly name: string,
    private readonly limit: number,
    prefix: string,
    storeClient?: RedisClientType,
  ) {
    const options = { keyPrefix: `${prefix}:${name}`, points: limit, duration: WINDOW_SECONDS };
    this.counter = new flexible.RateLimiterMemory(options);
    if (!storeClient) return;
    const limiter = new flexible.RateLimiterRedis({ ...options, storeClient, useRedisPackage: true });
    const insuranceLimiter = this.counter;
    this.counter = new flexible.RLWrapperTimeouts({ limiter, timeoutMs: REDIS_MS, insuranceLimiter });
  }

  /** Counts actions of a client, and says in the headers of the reply what is left. Throws 429 beyond the limit. */
  async take(client: string, actions = 1, reply?: FastifyReply): Promise<void> {
    if (this.limit === 0) return;
    // The library rejects with the count when the limit is exceeded.
    const count = await this.counter.consume(client, actions).catch((exceeded: flexible.RateLimiterRes) => exceeded);
    const left = Math.max(0, this.limit - count.consumedPoints);
    const seconds = Math.max(1, Math.ceil(count.msBeforeNext / 1000));
    void reply?.header('ratelimit-policy', `"${this.name}";q=${this.limit};w=${WINDOW_SECONDS}`);
    void reply?.header('ratelimit', `"${this.name}";r=${left};t=${seconds}`);
    if (count.consumedPoints <= this.limit) return;
    const message = `Too many requests. Try again in ${seconds} seconds.`;
    throw new ApiError('rate_limited', message, { 'retry-after': String(seconds) });
  }
}

/** Limits the requests of each key, and failed credentials of each network. Public routes have no limit. */
export class RateLimits implements CanActivate, OnApplicationShutdown {
  readonly failures: RateLimiter;
  private readonly requests: RateLimiter;

  constructor(
    { rateLimitPerKey, rateLimitFailures, keyEnvironment }: Config,
    private readonly redis?: RedisClientType,
  ) {
    const prefix = `${SERVICE_NAME}:${keyEnvironment}`; // every deployment numbers its keys from 1
    this.failures = new RateLimiter('failures', rateLimitFailures, prefix, redis);
    this.requests = new RateLimiter('requests', rateLimitPerKey, prefix, redis);
  }

  /** The library, a quarter of all modules, is loaded only where it is needed. */
  static async create(config: Config): Promise<RateLimits> {
    if (!config.redisUrl) return new RateLimits(config);
    const { createClient } = await import('@redis/client');
    const redis: RedisClientType = createClient({
      url: config.redisUrl,
      socket: { connectTimeout: 2 * PING_MS, socketTimeout: 2 * PING_MS, reconnectStrategy: PING_MS },
      pingInterval: PING_MS,
      disableOfflineQueue: true,
      commandsQueueMaxLength: MOST_COMMANDS,
    });
    const logger = new Logger(RateLimits.name);
    let isAway = false;
    redis.on('error', ({ message, code }: NodeJS.ErrnoException) => {
      if (!isAway) logger.warn(`Redis: ${message || code}; limits hold for this process until it is back`);
      isAway = true;
    });
    redis.on('ready', () => {
      if (isAway) logger.warn('Redis is back; limits are counted together again.');
      isAway = false;
    });
    redis.connect().catch(() => {}); // reported as an error event
    return new RateLimits(config, redis);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const { caller } = http.getRequest<FastifyRequest>();
    if (caller) await this.requests.take(String(caller.id), 1, http.getResponse());
    return true;
  }

  onApplicationShutdown(): void {
    this.redis?.destroy();
  }
}

/** How clients without a key are told apart: an IPv4 address, or a /48 of IPv6, the most that a customer gets. */
export function networkOf(address: string | undefined = ''): string {
  const [ipv4] = /\d+\.\d+\.\d+\.\d+/.exec(address) ?? []; // also in `::ffff:192.0.2.1`
  const [prefix = ''] = address.split('::', 1);
  return ipv4 ?? [...prefix.split(':'), '0', '0'].slice(0, 3).join(':');
}
