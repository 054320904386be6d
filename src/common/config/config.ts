import {
  anyText,
  apiAddress,
  day,
  Env,
  flag,
  integer,
  networks,
  oneOf,
  origins,
  url,
} from './env.decorator.js';

export type KeyKind = 'live' | 'test';

/** Every setting of the service, with its default: the one place that says what can be configured. */
export class Config {
  @Env('PORT', 'a port number from 0 to 65535', integer(0, 65535))
  readonly port: number = 3000;

  @Env('HOST', 'an address to listen on, such as 127.0.0.1 or 0.0.0.0', anyText)
  readonly host: string = '127.0.0.1';

  /** Absent, the embedded database is used. */
  @Env(
    'DATABASE_URL',
    'a PostgreSQL address such as postgres://user:password@host:5432/name',
    url('postgres:', 'postgresql:'),
  )
  readonly databaseUrl?: string;

  /** Where migrations go when `DATABASE_URL` is the address of a pooler. */
  @Env(
    'DATABASE_DIRECT_URL',
    'a PostgreSQL address such as postgres://user:password@host:5432/name',
    url('postgres:', 'postgresql:'),
  )
  readonly databaseDirectUrl?: string;

  /** Where the embedded database lives. */
  @Env('DATABASE_DIR', 'a folder', anyText)
  readonly databaseDirectory: string = '.data/database';

  @Env('DATABASE_POOL_SIZE', 'a number of connections from 6 to 1000', integer(6, 1000))
  readonly databasePoolSize: number = 10;

  /** Off behind a pooler that gives every transaction another connection and keeps no statements for its clients. */
  @Env('DATABASE_PREPARED_STATEMENTS', 'true or false', flag)
  readonly preparedStatements: boolean = true;

  /** The address clients use for this deployment. Absent, links are path-absolute references. */
  @Env('PUBLIC_URL', 'an http or https address that ends with /v1', apiAddress)
  readonly publicUrl?: string;

  @Env('PRODUCTION_URL', 'an http or https address that ends with /v1', apiAddress)
  readonly productionUrl: string = 'https://api.example.com/v1';

  @Env('STAGING_URL', 'an http or https address that ends with /v1', apiAddress)
  readonly stagingUrl: string = 'https://staging.example.com/v1';

  /** The kind of keys this deployment issues and accepts. */
  @Env('KEY_ENVIRONMENT', 'live or test', oneOf<KeyKind>('live', 'test'))
  readonly keyKind: KeyKind = 'test';

  /** Requests a minute for each key; 0 is no limit. */
  @Env('RATE_LIMIT_PER_KEY', 'a number of requests a minute, 0 for no limit', integer(0, 999_999_999))
  readonly rateLimitPerKey: number = 60_000;

  /** Failed credentials a minute from each address; 0 is no limit. */
  @Env('RATE_LIMIT_FAILURES', 'a number of attempts a minute, 0 for no limit', integer(0, 999_999_999))
  readonly rateLimitFailures: number = 600;

  /** Where replicas count together. Absent, each counts for itself. */
  @Env('REDIS_URL', 'a Redis address such as redis://localhost:6379', url('redis:', 'rediss:'))
  readonly redisUrl?: string;

  /** The proxies whose word on the client's address is taken. */
  @Env('TRUSTED_PROXIES', 'addresses or networks such as 10.0.0.0/8, separated by commas', networks)
  readonly trustedProxies: string[] = [];

  @Env('GETPET_DEPRECATED_ON', 'a day such as 2025-12-05', day)
  readonly getPetDeprecatedOn: Date = new Date('2025-12-05T00:00:00Z');

  @Env('GETPET_SUNSET_ON', 'a day such as 2030-12-05', day)
  readonly getPetSunsetOn: Date = new Date('2030-12-05T00:00:00Z');

  /** Answer as on the day after the sunset of every deprecated operation. */
  @Env('SUNSET_REHEARSAL', 'true or false', flag)
  readonly sunsetRehearsal: boolean = false;

  @Env('CORS_ORIGINS', 'origins such as https://app.example.com, separated by commas', origins)
  readonly corsOrigins: string[] = [];

  /** How long the service goes on answering when it was asked to end. Absent, `drainMs` decides. */
  @Env('SHUTDOWN_DRAIN_MS', 'milliseconds from 0 to 60000', integer(0, 60_000))
  readonly shutdownDrainMs?: number;

  @Env(
    'LOG_LEVEL',
    'one of fatal, error, warn, info, debug, trace, silent',
    oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'),
  )
  readonly logLevel: string = 'info';

  /** On a terminal the log is for people, anywhere else for machines. */
  @Env('LOG_FORMAT', 'json or pretty', oneOf('json', 'pretty'))
  readonly logFormat: string = process.stdout.isTTY ? 'pretty' : 'json';

  /** Where the metrics are served. Absent, they are not. */
  @Env('METRICS_PORT', 'a port number from 0 to 65535', integer(0, 65535))
  readonly metricsPort?: number;

  @Env('METRICS_HOST', 'an address to listen on, such as 127.0.0.1 or 0.0.0.0', anyText)
  readonly metricsHost: string = '127.0.0.1';

  /** What was built, such as a commit; shown among the metrics. */
  @Env('REVISION', 'a text', anyText)
  readonly revision: string = 'unknown';

  /** How many requests are answered at a time; those beyond are told to come back. */
  @Env('MAX_CONCURRENT_REQUESTS', 'a number of requests from 1 to 100000', integer(1, 100_000))
  readonly maxConcurrentRequests: number = 256;

  /** Where traces are sent. Absent, there are none. */
  @Env('OTEL_EXPORTER_OTLP_ENDPOINT', 'an http or https address', url('http:', 'https:'))
  readonly tracesEndpoint?: string;

  @Env('OTEL_SERVICE_NAME', 'a name', anyText)
  readonly serviceName: string = 'animal-store';
  /** Balancers need time to notice that a replica ends. Whoever presses Ctrl-C has no balancer, and no time. */
  get drainMs(): number {
    const alone = this.databaseUrl === undefined || process.stdout.isTTY;
    return this.shutdownDrainMs ?? (alone ? 0 : 2_000);
  }

  /** The base of every link that the service hands out. */
  get apiBase(): string {
    return this.publicUrl ?? '/v1';
  }

  /** The path under which browsers find the service; a proxy may have put something in front of it. */
  get rootPath(): string {
    return new URL(this.apiBase, 'http://localhost').pathname.slice(0, -'/v1'.length);
  }

  /** The address of the page that documents the interface. */
  get docsUrl(): string {
    return `${this.apiBase.slice(0, -'/v1'.length)}/docs`;
  }
}
