import { isIP } from 'node:net';
import { type CanActivate, type ExecutionContext, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { RedisClientType } from '@redis/client';
import type { FastifyReply, FastifyRequest } from 'fastify';
import * as flexible from 'rate-limiter-flexible';
import { ApiError } from '../api/errors.js';
import { type Config, SERVICE_NAME } from '../common/config.js';

const WINDOW_SECONDS = 60;
/** How long a request waits for Redis before this process counts alone. */
const REDIS_MS = 50;
/** The pause between pings, and between attempts to connect. */
const PING_MS = 500;
/** After this time without an answer, requests do not wait for Redis any more, and its connection is given up. */
const SILENT_MS = 2 * PING_MS;

/** Counts per minute: together with other replicas if there is a Redis, else in this process. 0 stands for no limit. */
export class RateLimits implements CanActivate, OnApplicationShutdown {
  private readonly alone: flexible.RateLimiterMemory;
  private readonly shared?: flexible.RLWrapperTimeouts;
  private answeredAt = -Infinity;

  constructor(
    private readonly config: Config,
    private readonly redis?: RedisClientType,
  ) {
    // Two deployments may share a Redis. Each numbers its API keys from 1, so the prefix keeps their counters apart.
    const options = { keyPrefix: `${SERVICE_NAME}:${config.keyEnvironment}`, points: 0, duration: WINDOW_SECONDS };
    const insuranceLimiter = (this.alone = new flexible.RateLimiterMemory(options));
    if (!redis) return;
    const limiter = new flexible.RateLimiterRedis({ ...options, storeClient: redis, useRedisPackage: true });
    this.shared = new flexible.RLWrapperTimeouts({ limiter, timeoutMs: REDIS_MS, insuranceLimiter });
    // The next ping waits for an answer: pings to a silent server would restart `socketTimeout`, and keep its socket open.
    const onAnswer = (): void => {
      this.answeredAt = performance.now();
      setTimeout(() => redis.ping().then(onAnswer, () => {}), PING_MS).unref();
    };
    redis.on('ready', onAnswer);
  }

  /** Limits the requests of each key. Public routes have no limit. */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const { caller } = http.getRequest<FastifyRequest>();
    if (caller) await this.count('requests', String(caller.id), 1, this.config.rateLimitPerKey, http.getResponse());
    return true;
  }

  /** Limits the failed credentials of each network. With 0 failures, it only checks the limit. */
  countFailures(network: string, failures: number): Promise<void> {
    return this.count('failures', network, failures, this.config.rateLimitFailures);
  }

  onApplicationShutdown(): void {
    this.redis?.destroy();
  }

  /** Adds to a counter, and tells in the headers of the reply how much of the limit is left. Throws 429 beyond it. */
  private async count(name: string, client: string, add: number, limit: number, reply?: FastifyReply): Promise<void> {
    if (limit === 0) return;
    // Requests and failures have different limits, but `consume` knows a single one. `penalty` only counts.
    const counter = performance.now() - this.answeredAt < SILENT_MS ? this.shared! : this.alone;
    const count = await counter.penalty(`${name}:${client}`, add);
    const seconds = Math.max(1, Math.ceil(count.msBeforeNext / 1000));
    void reply?.header('ratelimit-policy', `"${name}";q=${limit};w=${WINDOW_SECONDS}`);
    void reply?.header('ratelimit', `"${name}";r=${Math.max(0, limit - count.consumedPoints)};t=${seconds}`);
    if (count.consumedPoints <= limit) return;
    const message = `Too many requests. Try again in ${seconds} seconds.`;
    throw new ApiError('rate_limited', message, { 'retry-after': String(seconds) });
  }
}

/** The Redis library, a quarter of all modules, is loaded only where it is needed. */
export async function createRateLimits(config: Config): Promise<RateLimits> {
  if (!config.redisUrl) return new RateLimits(config);
  const { createClient } = await import('@redis/client');
  const redis: RedisClientType = createClient({
    url: config.redisUrl,
    socket: { connectTimeout: SILENT_MS, socketTimeout: SILENT_MS, reconnectStrategy: PING_MS },
    disableOfflineQueue: true,
  });
  const logger = new Logger(RateLimits.name);
  let isAway = false;
  redis.on('error', ({ message, code }: NodeJS.ErrnoException) => {
    if (!isAway) logger.warn(`Redis: ${message || code}; this process counts alone until Redis is back`);
    isAway = true;
  });
  redis.on('ready', () => {
    if (isAway) logger.warn('Redis is back; limits are counted together again.');
    isAway = false;
  });
  redis.connect().catch(() => {}); // reported as an error event
  return new RateLimits(config, redis);
}

/** The address of a client, or of its trusted proxy if that passes on something that is not an address. */
export function addressOf({ ip, socket }: FastifyRequest): string | undefined {
  return isIP(ip) > 0 && !ip.includes('%') ? ip : socket.remoteAddress; // the zone after a `%` can have any length
}

/** How clients whose keys are new are told apart: by IPv4 address, or /48 of IPv6, the largest network of one customer. */
export function networkOf(address: string | undefined = ''): string {
  const [ipv4] = /\d+\.\d+\.\d+\.\d+/.exec(address) ?? []; // also in `::ffff:192.0.2.1`
  const [prefix = ''] = address.split('::', 1);
  return ipv4 ?? [...prefix.split(':'), '0', '0'].slice(0, 3).join(':');
}
