import { isIPv4 } from 'node:net';
import { availableParallelism } from 'node:os';
import type { Type } from '@nestjs/common';
import { API_PREFIX } from '../api-prefix.js';
import { SERVICE_NAME } from '../contract.js';
import { Env } from './env.decorator.js';
import {
  anyText,
  apiUrl,
  contact,
  flag,
  httpUrl,
  integer,
  networks,
  oneOf,
  origins,
  port,
  postgresUrl,
  postgresUrls,
  redisUrl,
  workers,
} from './value-parsers.js';

export type KeyEnvironment = 'live' | 'test';

/** The settings of the service, with their defaults. A feature declares its own; see `provideSettings`. */
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

  @Env('DATABASE_POOL_SIZE', integer(8, 1000, 'a number of connections from 8 to 1000'), {
    about:
      'The connections to PostgreSQL, at least 8. Further ones take the places of those whose answer is late.',
  })
  readonly databasePoolSize: number = 12;

  @Env('DATABASE_DIRECT_URL', postgresUrl, {
    about: 'For migrations: the server behind a pooler, or a role of their own.',
    unset: 'same as `DATABASE_URL`',
    example: 'postgres://user:password@localhost:5432/animals',
  })
  readonly databaseDirectUrl?: string;

  @Env('DATABASE_STANDBY_URLS', postgresUrls, {
    about: 'Standbys or Citus workers that answer reads, between commas. They may list the primary.',
    unset: 'none',
    example:
      'postgres://user:password@standby-1:5432/animals,postgres://user:password@standby-2:5432/animals',
  })
  readonly databaseStandbyUrls: string[] = [];

  @Env('DATABASE_STALE_READS', flag, {
    about: '`true`: standbys answer reads while the primary is away, with the header `Stale-Read`.',
  })
  readonly databaseStaleReads: boolean = false;

  @Env('DATABASE_DISTRIBUTION', oneOf('citus'), {
    about: '`citus`: the tables are spread over the nodes of a Citus cluster. It cannot be undone.',
    unset: 'one server',
    example: 'citus',
  })
  readonly databaseDistribution?: 'citus';

  @Env('DATABASE_PREPARED_STATEMENTS', flag, {
    about: '`false` behind a pooler, such as PgBouncer.',
  })
  readonly preparedStatements: boolean = true;

  @Env('PUBLIC_URL', apiUrl, {
    about: `The base URL that clients use, ending with \`${API_PREFIX}\`.`,
    unset: `links are relative: \`${API_PREFIX}/…\``,
    example: 'https://pets.example.com/v1',
  })
  readonly publicUrl?: string;

  @Env('PRODUCTION_URL', apiUrl, {
    about: 'The production server in the OpenAPI document.',
    unset: 'an example; `/docs` does not offer it',
    example: 'https://api.example.com/v1',
  })
  readonly productionUrl?: string;

  @Env('STAGING_URL', apiUrl, {
    about: 'The staging server in the OpenAPI document.',
    unset: 'an example; `/docs` does not offer it',
    example: 'https://staging.example.com/v1',
  })
  readonly stagingUrl?: string;

  @Env('CONTACT', contact, {
    about: 'Where callers get help, in the OpenAPI document: a page or an e-mail address.',
    unset: 'none',
    example: 'support@example.com',
  })
  readonly contact?: string;

  @Env('KEY_ENVIRONMENT', oneOf<KeyEnvironment>('live', 'test'), {
    about: 'The kind of API keys that this deployment issues and accepts: `live` or `test`.',
  })
  readonly keyEnvironment: KeyEnvironment = 'test';

  @Env('RATE_LIMIT_PER_KEY', integer(0, 999_999_999, 'a number of requests a minute, 0 for no limit'), {
    about: 'Requests per minute and key; `0` for no limit.',
  })
  readonly rateLimitPerKey: number = 60_000;

  @Env('RATE_LIMIT_FAILURES', integer(0, 999_999_999, 'a number of attempts a minute, 0 for no limit'), {
    about: 'Failed authentications per minute and client address; `0` for no limit.',
  })
  readonly rateLimitFailures: number = 600;

  @Env('REDIS_URL', redisUrl, {
    about:
      'The Redis through which replicas share rate limits: a database (`/1`) for each deployment; no cluster.',
    unset: 'each replica counts alone',
    example: 'redis://localhost:6379',
  })
  readonly redisUrl?: string;

  @Env('TRUSTED_PROXIES', networks, {
    about:
      'Proxies whose `X-Forwarded-For` is trusted: addresses or networks, separated by commas. Clients of others share the limits of one network.',
    unset: 'none',
    example: '10.0.0.0/8',
  })
  readonly trustedProxies: string[] = [];

  @Env('SUNSET_REHEARSAL', flag, {
    about: '`true`: deprecated operations answer as after their sunset.',
  })
  readonly sunsetRehearsal: boolean = false;

  @Env('MAX_CONCURRENT_REQUESTS', integer(1, 100_000, 'a number of requests from 1 to 100000'), {
    about:
      'The maximum number of concurrent requests, of which keys and networks have shares; others are refused with 503.',
  })
  readonly maxConcurrentRequests: number = 256;

  @Env('WORKERS', workers, {
    about: 'Processes that serve requests; `auto`: one per core.',
  })
  readonly workers: number | 'auto' = 1;

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
    about:
      'The OpenTelemetry collector of traces. The `OTEL_` variables of headers, compression, sampling, batches and resource attributes apply too.',
    unset: 'no traces',
    example: 'http://localhost:4318',
  })
  readonly tracesEndpoint?: string;

  @Env('OTEL_SERVICE_NAME', anyText('a name'), { about: 'The name of the service in traces.' })
  readonly serviceName: string = SERVICE_NAME;

  @Env('REVISION', anyText('a text'), { about: 'The build, such as a commit, shown in the metrics.' })
  readonly revision: string = 'unknown';

  @Env('CORS_ORIGINS', origins, {
    about: 'Origins that may call from a browser (CORS), separated by commas.',
    unset: 'none',
    example: 'https://app.example.com',
  })
  readonly corsOrigins: string[] = [];

  @Env('SHUTDOWN_DRAIN_MS', integer(0, 60_000, 'milliseconds from 0 to 60000'), {
    about: 'How long the service keeps answering after a stop signal, while it reports not ready.',
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

  readonly featureSettings: readonly object[] = [];

  ofFeature<T extends object>(type: Type<T>): T {
    return this.featureSettings.find((settings): settings is T => settings instanceof type) ?? new type();
  }

  get workerCount(): number {
    if (this.workers !== 'auto') return this.workers;
    return this.databaseUrl ? availableParallelism() : 1;
  }

  contradictions(): string[] {
    const problems = [];
    if (this.port !== 0 && this.metricsPort === this.port && overlap(this.host, this.metricsHost))
      problems.push(
        'METRICS_PORT must differ from PORT, since HOST and METRICS_HOST are or include the same address: choose another port, or 0 for any free one',
      );
    if (this.databaseStaleReads && this.databaseStandbyUrls.length === 0)
      problems.push('DATABASE_STALE_READS needs DATABASE_STANDBY_URLS, which answer them');
    if (this.databaseDistribution) {
      if (this.databaseStaleReads)
        problems.push('DATABASE_STALE_READS must not be set together with DATABASE_DISTRIBUTION');
      if (this.databasePoolSize < 10)
        problems.push('DATABASE_POOL_SIZE must be at least 10 with DATABASE_DISTRIBUTION');
      if (!this.preparedStatements)
        problems.push(
          'DATABASE_PREPARED_STATEMENTS must not be false with DATABASE_DISTRIBUTION: connections of a pooler outlive a crash of the coordinator, so DATABASE_URL must lead past it',
        );
    }
    if (this.databaseUrl) return problems;
    if (this.databaseDistribution)
      problems.push('DATABASE_DISTRIBUTION needs DATABASE_URL, the address of the coordinator');
    if (this.databaseDirectUrl)
      problems.push('DATABASE_DIRECT_URL needs DATABASE_URL, the address of the pooler');
    if (this.databaseStandbyUrls.length > 0)
      problems.push('DATABASE_STANDBY_URLS needs DATABASE_URL, the address of the primary');
    if (this.workerCount > 1)
      problems.push(
        'WORKERS must be 1 or auto on the embedded database, which one process opens: set DATABASE_URL for more',
      );
    return problems;
  }

  warnings(): string[] {
    if (this.databaseUrl || this.keyEnvironment !== 'live') return [];
    return [
      'Data is kept in a folder of this machine only, beside live keys: set DATABASE_URL for production.',
    ];
  }

  /** Load balancers need time to notice that a replica stops. In development there is none to wait for. */
  get drainMs(): number {
    const alone = this.databaseUrl === undefined || process.stdout.isTTY;
    return this.shutdownDrainMs ?? (alone ? 0 : 2_000);
  }

  /** The base of every link in a response. */
  get apiBase(): string {
    return this.publicUrl ?? API_PREFIX;
  }

  /** The path that a proxy puts in front of the service's own paths. */
  get rootPath(): string {
    return new URL(this.apiBase, 'http://localhost').pathname.slice(0, -API_PREFIX.length);
  }

  get docsUrl(): string {
    return `${this.apiBase.slice(0, -API_PREFIX.length)}/docs`;
  }
}

/** Whether two hosts certainly cannot have the same port. `::` includes IPv4; only the system knows what names stand for. */
function overlap(...hosts: [string, string]): boolean {
  if (hosts[0] === hosts[1] || hosts.includes('::')) return true;
  return hosts.includes('0.0.0.0') && hosts.every(isIPv4);
}
