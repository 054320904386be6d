import type { Type } from '@nestjs/common';
import { API_PREFIX } from '../api-prefix.js';
import { Env } from './env.decorator.js';
import {
  anyText,
  apiUrl,
  flag,
  httpUrl,
  integer,
  networks,
  oneOf,
  origins,
  port,
  postgresUrl,
  redisUrl,
} from './kinds.js';

export type KeyKind = 'live' | 'test';

/** The settings of the service, with their defaults. A feature keeps its own in a class of its own. */
export class Config {
  @Env('PORT', port, { about: 'The port to listen on.' })
  readonly port: number = 3000;

  @Env('HOST', anyText('an address to listen on, such as 127.0.0.1 or 0.0.0.0'), {
    about: 'The address to listen on; `0.0.0.0` listens on every address.',
  })
  readonly host: string = '127.0.0.1';

  @Env('DATABASE_URL', postgresUrl, {
    about: 'The PostgreSQL server, version 15 or later.',
    unset: 'the embedded database',
    example: 'postgres://user:password@localhost:5432/animals',
  })
  readonly databaseUrl?: string;

  @Env('DATABASE_DIR', anyText('a folder'), { about: 'The folder of the embedded database.' })
  readonly databaseDirectory: string = '.data/database';

  @Env('DATABASE_POOL_SIZE', integer(6, 1000, 'a number of connections from 6 to 1000'), {
    about: 'The most connections to PostgreSQL, 6 at least.',
  })
  readonly databasePoolSize: number = 10;

  @Env('DATABASE_DIRECT_URL', postgresUrl, {
    about: 'Where migrations go when `DATABASE_URL` names a pooler.',
    unset: 'as `DATABASE_URL`',
    example: 'postgres://user:password@localhost:5432/animals',
  })
  readonly databaseDirectUrl?: string;

  @Env('DATABASE_PREPARED_STATEMENTS', flag, {
    about: '`false` behind a pooler that keeps no prepared statements for its clients.',
  })
  readonly preparedStatements: boolean = true;

  /** Absent, links are path-absolute references. */
  @Env('PUBLIC_URL', apiUrl, {
    about: `The address clients use, ending with \`${API_PREFIX}\`.`,
    unset: `links begin with \`${API_PREFIX}\``,
    example: 'https://pets.example.com/v1',
  })
  readonly publicUrl?: string;

  @Env('PRODUCTION_URL', apiUrl, { about: 'The production server that the document offers.' })
  readonly productionUrl: string = 'https://api.example.com/v1';

  @Env('STAGING_URL', apiUrl, { about: 'The staging server that the document offers.' })
  readonly stagingUrl: string = 'https://staging.example.com/v1';

  @Env('KEY_ENVIRONMENT', oneOf<KeyKind>('live', 'test'), {
    about: 'The kind of API keys that this deployment issues and accepts: `live` or `test`.',
  })
  readonly keyKind: KeyKind = 'test';

  @Env('RATE_LIMIT_PER_KEY', integer(0, 999_999_999, 'a number of requests a minute, 0 for no limit'), {
    about: 'Requests a minute for each key; `0` for no limit.',
  })
  readonly rateLimitPerKey: number = 60_000;

  @Env('RATE_LIMIT_FAILURES', integer(0, 999_999_999, 'a number of attempts a minute, 0 for no limit'), {
    about: 'Failed credentials a minute from each address; `0` for no limit.',
  })
  readonly rateLimitFailures: number = 600;

  @Env('REDIS_URL', redisUrl, {
    about: 'Where replicas count rate limits together.',
    unset: 'each replica counts for itself',
    example: 'redis://localhost:6379',
  })
  readonly redisUrl?: string;

  @Env('TRUSTED_PROXIES', networks, {
    about: 'Proxies whose `X-Forwarded-For` is believed: addresses or networks, separated by commas.',
    unset: 'none',
    example: '10.0.0.0/8',
  })
  readonly trustedProxies: string[] = [];

  @Env('SUNSET_REHEARSAL', flag, {
    about: '`true`: deprecated operations answer as on the day after their sunset.',
  })
  readonly sunsetRehearsal: boolean = false;

  @Env('MAX_CONCURRENT_REQUESTS', integer(1, 100_000, 'a number of requests from 1 to 100000'), {
    about: 'Requests worked on at a time; more are refused with 503.',
  })
  readonly maxConcurrentRequests: number = 256;

  @Env('METRICS_PORT', port, {
    about: 'The port of `/metrics`, for Prometheus.',
    unset: 'no metrics',
    example: '9464',
  })
  readonly metricsPort?: number;

  @Env('METRICS_HOST', anyText('an address to listen on, such as 127.0.0.1 or 0.0.0.0'), {
    about: 'The address that `/metrics` listens on.',
  })
  readonly metricsHost: string = '127.0.0.1';

  @Env('OTEL_EXPORTER_OTLP_ENDPOINT', httpUrl, {
    about: 'The collector of traces. The other `OTEL_` variables hold, too.',
    unset: 'no traces',
    example: 'http://localhost:4318',
  })
  readonly tracesEndpoint?: string;

  @Env('OTEL_SERVICE_NAME', anyText('a name'), { about: 'The name of the service in traces.' })
  readonly serviceName: string = 'animal-store';

  @Env('REVISION', anyText('a text'), { about: 'What was built, such as a commit, for the metrics.' })
  readonly revision: string = 'unknown';

  @Env('CORS_ORIGINS', origins, {
    about: 'Origins whose pages may call from a browser, separated by commas.',
    unset: 'none',
    example: 'https://app.example.com',
  })
  readonly corsOrigins: string[] = [];

  @Env('SHUTDOWN_DRAIN_MS', integer(0, 60_000, 'milliseconds from 0 to 60000'), {
    about: 'How long the service, asked to end, goes on answering while it is not ready.',
    unset: '`2000`; `0` on the embedded database or a terminal',
    example: '2000',
  })
  readonly shutdownDrainMs?: number;

  @Env('LOG_LEVEL', oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), {
    about: '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.',
  })
  readonly logLevel: string = 'info';

  @Env('LOG_FORMAT', oneOf('json', 'pretty'), {
    about: '`json` for machines, `pretty` for people.',
    unset: '`pretty` on a terminal, else `json`',
    example: 'json',
  })
  readonly logFormat: string = process.stdout.isTTY ? 'pretty' : 'json';

  /** The settings that features keep for themselves. */
  readonly ofFeatures: readonly object[] = [];

  of<T extends object>(type: Type<T>): T {
    return this.ofFeatures.find((settings): settings is T => settings instanceof type) ?? new type();
  }

  /** Balancers need time to notice that a replica ends. A person who presses Ctrl-C has no balancer, and no time. */
  get drainMs(): number {
    const alone = this.databaseUrl === undefined || process.stdout.isTTY;
    return this.shutdownDrainMs ?? (alone ? 0 : 2_000);
  }

  /** The base of every link that the service hands out. */
  get apiBase(): string {
    return this.publicUrl ?? API_PREFIX;
  }

  /** The path under which browsers find the service; a proxy may have put something in front of it. */
  get rootPath(): string {
    return new URL(this.apiBase, 'http://localhost').pathname.slice(0, -API_PREFIX.length);
  }

  /** The address of the page that documents the interface. */
  get docsUrl(): string {
    return `${this.apiBase.slice(0, -API_PREFIX.length)}/docs`;
  }
}
