import { isIP } from 'node:net';
import { isDay } from './clock.js';

export const API_PREFIX = '/v1';
export const SERVICE_NAME = 'animal-store';

interface Parser<T> {
  /** Completes the sentence "must be …". */
  readonly expected: string;
  readonly isValid: (text: string) => boolean;
  readonly read: (text: string) => T;
}

export interface Setting<T = unknown> extends Parser<T> {
  readonly name: string;
  /** The default. */
  readonly value: T;
  /** The description for operators, in docs/settings.md. */
  readonly about: string;
}

function setting<T, V extends T | undefined>(name: string, parser: Parser<T>, value: V, about: string): Setting<T | V> {
  return { name, ...parser, value, about };
}

/** Drivers decode `%` escapes in the user and the password, and would fail on a `%` that begins none. */
function url(expected: string, pattern: RegExp): Parser<string> {
  const isValid = (given: string) => URL.canParse(given) && pattern.test(given) && !/%(?![\da-f]{2})/i.test(given);
  return { expected, isValid, read: String };
}

function integer(minimum: number, maximum: number, noun: string): Parser<number> {
  const isInside = (value: number) => value >= minimum && value <= maximum;
  const isValid = (given: string) => /^\d{1,9}$/.test(given) && isInside(Number(given));
  return { expected: `${noun} from ${minimum} to ${maximum}`, isValid, read: Number };
}

function oneOf<const T extends string>(...choices: T[]): Parser<T> {
  const isValid = (given: string) => choices.includes(given as T);
  return { expected: choices.join(' or '), isValid, read: (given) => given as T };
}

function list(expected: string, isItem: (item: string) => boolean): Parser<string[]> {
  const read = (given: string) => given.split(',').map((item) => item.trim());
  return { expected: `${expected}, separated by commas`, isValid: (given) => read(given).every(isItem), read };
}

function isNetwork(given: string): boolean {
  const [, ip = '', bits = '1'] = /^([^/]+)(?:\/([1-9]\d{0,2}))?$/.exec(given) ?? [];
  return isIP(ip) > 0 && Number(bits) <= (isIP(ip) === 4 ? 32 : 128);
}

const anyText: Parser<string> = { expected: 'a text', isValid: () => true, read: String };
/** The address is a part of Link and Location headers, which are ASCII. */
const apiUrl = url(
  `an http or https address in ASCII that ends with ${API_PREFIX}`,
  /^https?:\/\/[!$-;=@-~]+(?<!\/)\/v1$/,
);
const page = url('an https address', /^https:/);
const contact = {
  ...page,
  expected: `${page.expected}, or an e-mail address such as support@example.com`,
  isValid: (given: string) => page.isValid(given) || /^[^\s@:/]+@[^\s@:/]+$/.test(given),
};
/** A day is held as its first instant in UTC. */
const day = { expected: 'a day such as 2030-12-05', isValid: isDay, read: (given: string) => new Date(given) };
const flag = { ...oneOf('true', 'false'), read: (given: string) => given === 'true' };
const http = url('an http or https address', /^https?:/);
const networks = list('addresses or networks such as 10.0.0.0/8, none of them /0', isNetwork);
const origins = list(
  'origins such as https://app.example.com',
  (given) => URL.canParse(given) && new URL(given).origin === given,
);
const perMinute = integer(0, 999_999_999, 'a number a minute, 0 for no limit,');
const port = integer(0, 65_535, 'a port number');
const postgres = url('a PostgreSQL address such as postgres://user:password@host:5432/name', /^postgres(ql)?:/);
const redis = url(
  'a Redis address such as redis://localhost:6379, or with the number of a database redis://localhost:6379/1',
  /^rediss?:\/\/[^/]+(\/\d*)?$/,
);

// prettier-ignore
export const SETTINGS = {
  port: setting('PORT', port, 3000, 'The port to listen on.'),
  host: setting('HOST', anyText, '127.0.0.1', 'The address to listen on; `0.0.0.0` listens on every address.'),
  databaseUrl: setting('DATABASE_URL', postgres, undefined, 'The PostgreSQL server, version 15 or later: `postgres://user:password@host:5432/name`. Without it, the embedded one.'),
  databaseDirectory: setting('DATABASE_DIR', anyText, '.data/database', 'The folder of the embedded database.'),
  databasePoolSize: setting('DATABASE_POOL_SIZE', integer(6, 1000, 'a number of connections'), 20, 'The connections to PostgreSQL.'),
  databaseDirectUrl: setting('DATABASE_DIRECT_URL', postgres, undefined, 'For migrations, instead of `DATABASE_URL`: the server behind a pooler, or a role of their own.'),
  databaseDistribution: setting('DATABASE_DISTRIBUTION', oneOf('citus'), undefined, '`citus`: the tables are spread over the nodes of a Citus cluster. It cannot be undone.'),
  preparedStatements: setting('DATABASE_PREPARED_STATEMENTS', flag, true, '`false` behind a pooler, such as PgBouncer.'),
  publicUrl: setting('PUBLIC_URL', apiUrl, undefined, `The base URL that clients use, ending with \`${API_PREFIX}\`. Without it, links are relative.`),
  productionUrl: setting('PRODUCTION_URL', apiUrl, undefined, 'The production server in the OpenAPI document, instead of an example.'),
  stagingUrl: setting('STAGING_URL', apiUrl, undefined, 'The staging server in the OpenAPI document, instead of an example.'),
  contact: setting('CONTACT', contact, undefined, 'Where callers get help, in the OpenAPI document: a page or an e-mail address.'),
  keyEnvironment: setting('KEY_ENVIRONMENT', oneOf('live', 'test'), 'test', 'The kind of API keys that this deployment issues and accepts: `test`, or `live`, which needs `DATABASE_URL` or a `DATABASE_DIR` of its own.'),
  rateLimitPerKey: setting('RATE_LIMIT_PER_KEY', perMinute, 20_000, 'Requests per minute and key; `0` for no limit.'),
  rateLimitFailures: setting('RATE_LIMIT_FAILURES', perMinute, 600, 'Look-ups that find no valid API key, per minute and client network; `0` for no limit.'),
  redisUrl: setting('REDIS_URL', redis, undefined, 'The Redis through which replicas share rate limits: a database (`/1`) for each deployment; no cluster.'),
  trustedProxies: setting('TRUSTED_PROXIES', networks, [] as string[], 'Proxies whose `X-Forwarded-For` is trusted: addresses or networks, separated by commas.'),
  sunsetRehearsal: setting('SUNSET_REHEARSAL', flag, false, '`true`: deprecated operations answer as after their sunset.'),
  getPetDeprecatedOn: setting('GETPET_DEPRECATED_ON', day, new Date('2025-12-05T00:00:00Z'), 'The day from which `getPet` is deprecated.'),
  getPetSunsetOn: setting('GETPET_SUNSET_ON', day, new Date('2030-12-05T00:00:00Z'), 'The day from which `getPet` answers 410.'),
  maxConcurrentRequests: setting('MAX_CONCURRENT_REQUESTS', integer(1, 100_000, 'a number of requests'), 1_000, 'The maximum number of concurrent requests; others are refused with 503.'),
  metricsPort: setting('METRICS_PORT', port, undefined, 'The port of `/metrics`, for Prometheus. Without it, there is none.'),
  metricsHost: setting('METRICS_HOST', anyText, '127.0.0.1', 'The address that `/metrics` listens on.'),
  tracesEndpoint: setting('OTEL_EXPORTER_OTLP_ENDPOINT', http, undefined, 'The OpenTelemetry collector of traces, such as `http://localhost:4318`. The other `OTEL_` variables apply too.'),
  serviceName: setting('OTEL_SERVICE_NAME', anyText, SERVICE_NAME, 'The name of the service in traces.'),
  revision: setting('REVISION', anyText, 'unknown', 'The build, such as a commit, shown in the metrics.'),
  corsOrigins: setting('CORS_ORIGINS', origins, [] as string[], 'Origins that may call from a browser (CORS), separated by commas.'),
  shutdownDrainMs: setting('SHUTDOWN_DRAIN_MS', integer(0, 60_000, 'milliseconds'), undefined, 'How long the service keeps answering after a stop signal, while it reports not ready: by default `2000`, or `0` on the embedded database or a terminal.'),
  logLevel: setting('LOG_LEVEL', oneOf('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'), 'info', '`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.'),
  logFormat: setting('LOG_FORMAT', oneOf('json', 'pretty'), undefined, '`json` for machines, or `pretty` for people, the default on a terminal.'),
};

type Settings = typeof SETTINGS;
export type SettingValues = { [K in keyof Settings]: Settings[K]['value'] };
