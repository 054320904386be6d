import { availableParallelism } from 'node:os';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Config } from './config.js';
import { ConfigError, loadConfig } from './load-config.js';

describe('loadConfig', () => {
  it('has a default for every setting', () => {
    expect(loadConfig({})).toEqual(new Config());
    expect(loadConfig({ PORT: '', DATABASE_URL: '', CORS_ORIGINS: '' })).toEqual(new Config());
    expect(loadConfig({})).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      keyEnvironment: 'test',
      sunsetRehearsal: false,
    });
  });

  it('rejects an address that drivers cannot decode', () => {
    expect(() => loadConfig({ DATABASE_URL: 'postgres://user:50%@db/animals' })).toThrow(
      'DATABASE_URL must be a PostgreSQL address',
    );
  });

  it('reads every variable', () => {
    const config = loadConfig({
      PORT: '8080',
      HOST: '0.0.0.0',
      DATABASE_URL: 'postgres://user:secret@db:5432/animals',
      DATABASE_DIR: '/data',
      DATABASE_POOL_SIZE: '25',
      DATABASE_STANDBY_URLS: 'postgres://user:secret@s1:5432/animals, postgres://user:secret@s2:5432/animals',
      DATABASE_STALE_READS: 'true',
      PUBLIC_URL: 'https://pets.example.org/v1',
      PRODUCTION_URL: 'https://pets.example.org/v1',
      STAGING_URL: 'http://localhost:3000/v1',
      CONTACT: 'support@example.org',
      KEY_ENVIRONMENT: 'live',
      RATE_LIMIT_PER_KEY: '0',
      RATE_LIMIT_FAILURES: '10',
      WORKERS: '4',
      REDIS_URL: 'rediss://cache:6379',
      TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.1, 2001:db8::/32',
      SUNSET_REHEARSAL: 'true',
      CORS_ORIGINS: 'https://a.example.org, http://localhost:5173',
      SHUTDOWN_DRAIN_MS: '0',
      LOG_LEVEL: 'debug',
      LOG_FORMAT: 'pretty',
      METRICS_PORT: '9464',
      METRICS_HOST: '0.0.0.0',
      REVISION: 'abc123',
      MAX_CONCURRENT_REQUESTS: '50',
      DATABASE_PREPARED_STATEMENTS: 'false',
      DATABASE_DIRECT_URL: 'postgres://user:secret@primary:5432/animals',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      OTEL_SERVICE_NAME: 'pets',
      SOMETHING_ELSE: 'ignored',
    });
    expect({ ...config }).toEqual({
      port: 8080,
      host: '0.0.0.0',
      databaseUrl: 'postgres://user:secret@db:5432/animals',
      databaseDirectory: '/data',
      databasePoolSize: 25,
      databaseStaleReads: true,
      databaseStandbyUrls: [
        'postgres://user:secret@s1:5432/animals',
        'postgres://user:secret@s2:5432/animals',
      ],
      publicUrl: 'https://pets.example.org/v1',
      productionUrl: 'https://pets.example.org/v1',
      stagingUrl: 'http://localhost:3000/v1',
      contact: 'support@example.org',
      keyEnvironment: 'live',
      rateLimitPerKey: 0,
      rateLimitFailures: 10,
      workers: 4,
      redisUrl: 'rediss://cache:6379',
      trustedProxies: ['10.0.0.0/8', '192.0.2.1', '2001:db8::/32'],
      sunsetRehearsal: true,
      corsOrigins: ['https://a.example.org', 'http://localhost:5173'],
      shutdownDrainMs: 0,
      logLevel: 'debug',
      logFormat: 'pretty',
      metricsPort: 9464,
      metricsHost: '0.0.0.0',
      revision: 'abc123',
      maxConcurrentRequests: 50,
      preparedStatements: false,
      databaseDirectUrl: 'postgres://user:secret@primary:5432/animals',
      tracesEndpoint: 'http://collector:4318',
      serviceName: 'pets',
      featureSettings: [],
    });
    expect(config.apiBase).toBe('https://pets.example.org/v1');
    expect(config.docsUrl).toBe('https://pets.example.org/docs');
  });

  it('writes the addresses of an API as headers carry them', () => {
    const { publicUrl } = loadConfig({ PUBLIC_URL: 'https://Bücher.example:443/größe/v1' });
    expect(publicUrl).toBe('https://xn--bcher-kva.example/gr%C3%B6%C3%9Fe/v1');
  });

  it('lists every invalid setting at once, without the values, which may be secret', () => {
    const wrong = {
      PORT: '65536',
      DATABASE_URL: 'mysql://user:secret@db/animals',
      DATABASE_STANDBY_URLS: 'postgres://user:secret@s1/animals,',
      PUBLIC_URL: 'https://pets.example.org/v1/',
      CONTACT: 'http://example.org',
      KEY_ENVIRONMENT: 'production',
      RATE_LIMIT_PER_KEY: 'many',
      WORKERS: '0',
      TRUSTED_PROXIES: '10.0.0.0/33',
      SUNSET_REHEARSAL: 'yes',
      CORS_ORIGINS: 'https://a.example.org/path',
      LOG_LEVEL: 'loud',
    };
    const error = (() => {
      try {
        return loadConfig(wrong);
      } catch (thrown) {
        return thrown as Error;
      }
    })() as Error;
    expect(error).toBeInstanceOf(ConfigError);
    expect(error.message.split('\n')).toEqual([
      'The configuration is not valid:',
      '  - PORT must be a port number from 0 to 65535',
      '  - DATABASE_URL must be a PostgreSQL address such as postgres://user:password@host:5432/name',
      '  - DATABASE_STANDBY_URLS must be PostgreSQL addresses such as postgres://user:password@host:5432/name, separated by commas',
      '  - PUBLIC_URL must be an http or https address that ends with /v1',
      '  - CONTACT must be an https address, or an e-mail address such as support@example.com',
      '  - KEY_ENVIRONMENT must be live or test',
      '  - RATE_LIMIT_PER_KEY must be a number of requests a minute, 0 for no limit',
      '  - TRUSTED_PROXIES must be addresses or networks such as 10.0.0.0/8, separated by commas, none of them /0',
      '  - SUNSET_REHEARSAL must be true or false',
      '  - WORKERS must be auto or a number of processes from 1 to 64',
      '  - CORS_ORIGINS must be origins such as https://app.example.com, separated by commas',
      '  - LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent',
    ]);
    expect(error.message).not.toContain('secret');
  });

  it('runs one worker by default and on the embedded database, and with auto one per core', () => {
    const DATABASE_URL = 'postgres://db/animals';
    expect(loadConfig({ DATABASE_URL }).workerCount).toBe(1);
    expect(loadConfig({ DATABASE_URL, WORKERS: 'auto' }).workerCount).toBe(availableParallelism());
    expect(loadConfig({ WORKERS: 'auto' }).workerCount).toBe(1);
    expect(() => loadConfig({ WORKERS: '2' })).toThrow('set DATABASE_URL for more');
  });

  it.each([
    ['REDIS_URL', 'redis://cache:6379/limits'],
    ['TRUSTED_PROXIES', '0.0.0.0/0'],
    ['TRUSTED_PROXIES', '::/0'],
  ])('rejects %s=%s, which its library would refuse at the first use', (name, value) => {
    expect(() => loadConfig({ [name]: value })).toThrow(`${name} must be`);
  });

  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['localhost', 'localhost'],
    ['0.0.0.0', '127.0.0.1'],
    ['127.0.0.1', '0.0.0.0'],
    ['::', '127.0.0.1'],
    ['0.0.0.0', '::'],
    ['::1', '::'],
  ])('refuses one port for requests on %s and metrics on %s', (HOST, METRICS_HOST) => {
    const load = (PORT: string, METRICS_PORT: string) => () =>
      loadConfig({ HOST, METRICS_HOST, PORT, METRICS_PORT });
    expect(load('8080', '8080')).toThrow(
      /^ {2}- METRICS_PORT must differ from PORT, .*: choose another port, or 0 for any free one$/m,
    );
    expect(load('', '3000')).toThrow('METRICS_PORT must differ from PORT');
    expect(load('8080', '9464')).not.toThrow();
    expect(load('8080', '0')).not.toThrow();
    expect(load('0', '0')).not.toThrow();
  });

  it.each([
    ['127.0.0.1', '127.0.0.2'],
    ['127.0.0.1', '::1'],
    ['0.0.0.0', '::1'],
    ['localhost', '192.0.2.1'],
  ])('takes one port for requests on %s and metrics on %s', (HOST, METRICS_HOST) => {
    expect(() => loadConfig({ HOST, METRICS_HOST, PORT: '8080', METRICS_PORT: '8080' })).not.toThrow();
  });

  it('takes a direct address beside that of a pooler only', () => {
    expect(() => loadConfig({ DATABASE_DIRECT_URL: 'postgres://db/animals' })).toThrow(
      'DATABASE_DIRECT_URL needs DATABASE_URL',
    );
  });

  it('warns of live keys on the embedded database', () => {
    const KEY_ENVIRONMENT = 'live';
    expect(loadConfig({ KEY_ENVIRONMENT }).warnings()).toEqual([expect.stringContaining('set DATABASE_URL')]);
    expect(loadConfig({ KEY_ENVIRONMENT, DATABASE_URL: 'postgres://db/animals' }).warnings()).toEqual([]);
    expect(loadConfig({}).warnings()).toEqual([]);
  });

  it('takes standbys beside a primary only', () => {
    expect(() => loadConfig({ DATABASE_STANDBY_URLS: 'postgres://db/animals' })).toThrow(
      'DATABASE_STANDBY_URLS needs DATABASE_URL',
    );
    expect(() => loadConfig({ DATABASE_URL: 'postgres://db/animals', DATABASE_STALE_READS: 'true' })).toThrow(
      'DATABASE_STALE_READS needs DATABASE_STANDBY_URLS',
    );
  });

  it('takes a cluster on a server only, without stale reads or a pooler, and with enough connections', () => {
    const DATABASE_DISTRIBUTION = 'citus';
    const DATABASE_URL = 'postgres://db/animals';
    const loading =
      (settings: Record<string, string>): (() => unknown) =>
      () =>
        loadConfig({ DATABASE_DISTRIBUTION, ...settings });
    expect(loading({ DATABASE_URL })).not.toThrow();
    expect(loading({})).toThrow('DATABASE_DISTRIBUTION needs DATABASE_URL, the address of the coordinator');
    const DATABASE_STANDBY_URLS = 'postgres://worker/animals';
    expect(loading({ DATABASE_URL, DATABASE_STANDBY_URLS })).not.toThrow();
    expect(loading({ DATABASE_URL, DATABASE_STANDBY_URLS, DATABASE_STALE_READS: 'true' })).toThrow(
      'DATABASE_STALE_READS must not',
    );
    expect(loading({ DATABASE_URL, DATABASE_POOL_SIZE: '9' })).toThrow(
      'DATABASE_POOL_SIZE must be at least 10',
    );
    expect(loading({ DATABASE_URL, DATABASE_PREPARED_STATEMENTS: 'false' })).toThrow(
      'DATABASE_URL must lead past it',
    );
    expect(loading({ DATABASE_URL, DATABASE_DISTRIBUTION: 'other' })).toThrow(
      'DATABASE_DISTRIBUTION must be citus',
    );
  });

  it('drains by default only when DATABASE_URL is set and there is no terminal', () => {
    const DATABASE_URL = 'postgres://db/animals';
    const { isTTY } = process.stdout;
    process.stdout.isTTY = false;
    try {
      expect(loadConfig({}).drainMs).toBe(0);
      expect(loadConfig({ DATABASE_URL }).drainMs).toBe(2_000);
      expect(loadConfig({ SHUTDOWN_DRAIN_MS: '500' }).drainMs).toBe(500);
      process.stdout.isTTY = true;
      expect(loadConfig({ DATABASE_URL }).drainMs).toBe(0);
    } finally {
      process.stdout.isTTY = isTTY;
    }
  });

  it.each(['-1', '1.5', '0x10', 'abc', ' 80', '1e3', '99999999999'])('rejects PORT=%s', (PORT) => {
    expect(() => loadConfig({ PORT })).toThrow('PORT must be');
  });

  describe('with a file in place of a value', () => {
    const folder = mkdtempSync(join(tmpdir(), 'settings-'));
    const path = join(folder, 'url');
    writeFileSync(path, 'postgres://user:secret@db:5432/animals\n');
    afterAll(() => rmSync(folder, { recursive: true }));

    it('reads the file, without the end of its line', () => {
      const { databaseUrl } = loadConfig({ DATABASE_URL_FILE: path });
      expect(databaseUrl).toBe('postgres://user:secret@db:5432/animals');
    });

    it('never shows a value that was given in place of its path', () => {
      expect(() => loadConfig({ DATABASE_URL_FILE: 'postgres://user:secret@db/animals' })).toThrow(
        /^(?!.*secret)(?:.|\n)*DATABASE_URL_FILE must be the path of a readable file/,
      );
    });

    it('rejects an empty file: its setting would count as absent', () => {
      const empty = join(folder, 'empty');
      writeFileSync(empty, '\n');
      expect(() => loadConfig({ DATABASE_URL_FILE: empty })).toThrow(
        'DATABASE_URL_FILE must not be the path of an empty file',
      );
    });

    it('rejects a file that cannot be read, a value beside it, and an invalid content', () => {
      const env = {
        DATABASE_URL_FILE: join(folder, 'missing'),
        REDIS_URL: 'redis://a',
        REDIS_URL_FILE: path,
        PORT_FILE: path,
      };
      expect(() => loadConfig(env)).toThrow(
        /DATABASE_URL_FILE must be the path of a readable file \(ENOENT\)\n.*Set either REDIS_URL or REDIS_URL_FILE, not both/,
      );
      expect(() => loadConfig({ PORT_FILE: path })).toThrow(/PORT must be a port number(?!.*secret)/);
    });
  });
});
