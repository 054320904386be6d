import {
  type CanActivate,
  type ExecutionContext,
  Injectable,
  Logger,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type { RedisClientType } from '@redis/client';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as flexible from 'rate-limiter-flexible';
import { ApiError } from '../api/errors.js';
import { Config, SERVICE_NAME } from '../common/config.js';

const WINDOW_SECONDS = 60;
/** How long a request waits for Redis before this process counts alone. */
const REDIS_MS = 50;
/** The client pings at this interval, and gives up a Redis when the connection is silent for twice as long. */
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
    const redis = { ...options, storeClient, useRedisPackage: true, rejectIfRedisNotReady: true };
    const limiter = new flexible.RateLimiterRedis(redis);
    const insuranceLimiter = this.counter;
    this.counter = new flexible.RLWrapperTimeouts({ limiter, timeoutMs: REDIS_MS, insuranceLimiter });
  }

  /** Counts one action of a client, and says in the headers of the reply what is left. Throws 429 beyond the limit. */
  async take(client: string, reply?: FastifyReply): Promise<void> {
    if (this.limit === 0) return;
    // The library rejects with the count when the limit is exceeded.
    const count = await this.counter.consume(client).catch((exceeded: flexible.RateLimiterRes) => exceeded);
    const left = Math.max(0, this.limit - count.consumedPoints);
    // Never more than the window, though the clock of Redis is set back.
    const seconds = Math.min(Math.max(1, Math.ceil(count.msBeforeNext / 1000)), WINDOW_SECONDS);
    void reply?.header('ratelimit-policy', `"${this.name}";q=${this.limit};w=${WINDOW_SECONDS}`);
    void reply?.header('ratelimit', `"${this.name}";r=${left};t=${seconds}`);
    if (count.consumedPoints <= this.limit) return;
    const message = `Too many requests. Try again in ${seconds} seconds.`;
    throw new ApiError('rate_limited', message, { 'retry-after': String(seconds) });
  }

  /** Takes back the count of an action. */
  async giveBack(client: string): Promise<void> {
    if (this.limit > 0) await this.counter.reward(client);
  }
}

/** The limits of the service: the requests of each key, and failed credentials of each network. */
@Injectable()
export class RateLimits implements OnApplicationShutdown {
  readonly requests: RateLimiter;
  readonly failures: RateLimiter;

  constructor(
    { rateLimitPerKey, rateLimitFailures, keyEnvironment }: Config,
    private readonly redis?: RedisClientType,
  ) {
    const prefix = `${SERVICE_NAME}:${keyEnvironment}`; // every deployment numbers its keys from 1
    this.requests = new RateLimiter('requests', rateLimitPerKey, prefix, redis);
    this.failures = new RateLimiter('failures', rateLimitFailures, prefix, redis);
  }

  onApplicationShutdown(): void {
    this.redis?.destroy();
  }
}

/** Limits the requests of each key. Public routes have no limit. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(private readonly limits: RateLimits) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const { caller } = http.getRequest<FastifyRequest>();
    if (caller) await this.limits.requests.take(String(caller.id), http.getResponse());
    return true;
  }
}

/** Connects in the background. The library, a quarter of all modules, is loaded only where it is needed. */
export async function connectRedis(url: string): Promise<RedisClientType> {
  const { createClient } = await import('@redis/client');
  // By default, the client gives up after a timeout.
  const reconnectStrategy = (attempts: number) => Math.min(100 * 2 ** attempts, 1_000);
  const client: RedisClientType = createClient({
    url,
    socket: { connectTimeout: 2 * PING_MS, socketTimeout: 2 * PING_MS, reconnectStrategy },
    pingInterval: PING_MS,
    disableOfflineQueue: true,
    commandsQueueMaxLength: MOST_COMMANDS,
  });
  const logger = new Logger('RateLimits');
  let isAway = false;
  client.on('error', ({ message, code }: NodeJS.ErrnoException) => {
    if (!isAway) logger.warn(`Redis: ${message || code}; limits hold for this process until it is back`);
    isAway = true;
  });
  client.on('ready', () => {
    if (isAway) logger.warn('Redis is back; limits are counted together again.');
    isAway = false;
  });
  client.connect().catch(() => {}); // reported as an error event
  return client;
}

/** How clients without a key are told apart: an IPv4 address, or a /48 of IPv6, the most that a customer gets. */
export function networkOf(address: string | undefined = ''): string {
  const [ipv4] = /\d+\.\d+\.\d+\.\d+/.exec(address) ?? []; // also in `::ffff:192.0.2.1`
  const [prefix = ''] = address.split('::', 1);
  return ipv4 ?? [...prefix.split(':'), '0', '0'].slice(0, 3).join(':');
}
