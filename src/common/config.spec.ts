import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dayOf } from './clock.js';
import { Config, loadConfig } from './config.js';
import { SETTINGS } from './settings.js';

const POSTGRES = 'postgres://user:password@localhost/animals';

const VALUES: Record<string, { good: string[]; bad: string[] }> = {
  PORT: { good: ['65535'], bad: ['65536', '0x10', '-1'] },
  DATABASE_URL: { good: ['postgresql://u:%2F%c3%a9@x'], bad: ['mysql://x', 'postgres://u:9%@x', 'postgres://u:%a@x'] },
  DATABASE_POOL_SIZE: { good: ['6', '1000'], bad: ['5', '1001'] },
  REDIS_URL: {
    good: ['redis://localhost:6379/1', 'rediss://localhost', 'redis://x/'],
    bad: ['redis://localhost/name'],
  },
  PUBLIC_URL: { good: ['http://x:3000/v1'], bad: ['https://x', 'https://x/v1/', 'https://x//v1', 'https://x/für/v1'] },
  KEY_ENVIRONMENT: { good: ['test'], bad: ['production'] },
  RATE_LIMIT_PER_KEY: { good: ['0', '999999999'], bad: ['1000000000'] },
  SUNSET_REHEARSAL: { good: ['false'], bad: ['yes', 'constructor'] },
  TRUSTED_PROXIES: { good: ['10.1.2.3/32,::1/128'], bad: ['0.0.0.0/0', '10.0.0.0/33', '::1/129', '10.0/8', '::1,x'] },
  CORS_ORIGINS: { good: ['https://app.example.com'], bad: ['https://app.example.com/'] },
  CONTACT: { good: ['help@example.com', 'https://x.example'], bad: ['http://x.example', 'mailto:x@x.example', 'x@'] },
  GETPET_SUNSET_ON: { good: ['2032-02-29'], bad: ['2030-02-30'] },
  MAX_CONCURRENT_REQUESTS: { good: ['1', '100000'], bad: ['0', '100001'] },
  OTEL_EXPORTER_OTLP_ENDPOINT: { good: ['http://localhost:4318', 'https://x'], bad: ['grpc://x:4317', 'http://'] },
  SHUTDOWN_DRAIN_MS: { good: ['0'], bad: ['60001'] },
  LOG_LEVEL: { good: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], bad: ['verbose'] },
  LOG_FORMAT: { good: ['json', 'pretty'], bad: ['text'] },
};
const CASES = Object.entries(VALUES).flatMap(([name, { good, bad }]) =>
  [...good, ...bad].map((value) => [name, value, good.includes(value)] as const),
);

describe('The configuration', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'config-spec-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('has a default for everything, as docs/settings.md says; an empty variable counts as absent', () => {
    expect(loadConfig({ PORT: '', DATABASE_URL: '' })).toEqual(new Config());
    expect(loadConfig({ DATABASE_URL: POSTGRES, SHUTDOWN_DRAIN_MS: '0' }).drainMs).toBe(0);
    const { isTTY } = process.stdout;
    process.stdout.isTTY = true;
    expect(loadConfig({ DATABASE_URL: POSTGRES }).drainMs).toBe(0);
    process.stdout.isTTY = isTTY;
    expect(new Config()).toMatchObject({ apiBase: '/v1', rootPath: '', docsUrl: '/docs', drainMs: 0 });
    expect(loadConfig({ KEY_ENVIRONMENT: 'live', DATABASE_DIR: 'x', GETPET_SUNSET_ON: '2025-12-05' })).toBeDefined();
    const page = readFileSync('docs/settings.md', 'utf8');
    for (const { name, value = '' } of Object.values(SETTINGS)) {
      const text = value instanceof Date ? dayOf(value) : String(value);
      expect(page).toContain(`| \`${name}\` | ${text && `\`${text}\``} |`);
    }
  });

  it.each<[string, string, Partial<Config>]>([
    ['PORT', '0', { port: 0 }],
    ['DATABASE_URL', POSTGRES, { databaseUrl: POSTGRES, drainMs: process.stdout.isTTY ? 0 : 2_000 }],
    ['PUBLIC_URL', 'https://x.example/pets/v1', { apiBase: 'https://x.example/pets/v1', rootPath: '/pets' }],
    ['TRUSTED_PROXIES', '10.0.0.0/8, ::1', { trustedProxies: ['10.0.0.0/8', '::1'] }],
    ['DATABASE_PREPARED_STATEMENTS', 'false', { preparedStatements: false }],
    ['GETPET_DEPRECATED_ON', '2024-02-29', { getPetDeprecatedOn: new Date('2024-02-29T00:00:00Z') }],
    ['SHUTDOWN_DRAIN_MS', '60000', { drainMs: 60_000 }],
  ])('reads %s=%s', (name, value, expected) => {
    const config = loadConfig({ [name]: value });
    for (const [property, wanted] of Object.entries(expected)) expect(config).toHaveProperty(property, wanted);
  });

  it.each(CASES)('checks that %s=%s is good: %p', (name, value, isGood) => {
    const load = () => loadConfig({ [name]: value });
    if (isGood) expect(load).not.toThrow();
    else expect(load).toThrow(`  - ${name} must be `);
  });

  it.each([
    [{ DATABASE_DISTRIBUTION: 'citus' }, 'DATABASE_DISTRIBUTION and DATABASE_DIRECT_URL need DATABASE_URL'],
    [{ DATABASE_DIRECT_URL: POSTGRES }, 'DATABASE_DISTRIBUTION and DATABASE_DIRECT_URL need DATABASE_URL'],
    [{ KEY_ENVIRONMENT: 'live' }, 'KEY_ENVIRONMENT=live needs DATABASE_URL'],
    [{ GETPET_SUNSET_ON: '2025-01-01' }, 'GETPET_SUNSET_ON must not be before GETPET_DEPRECATED_ON'],
  ])('refuses the contradiction of %j', (env, message) => {
    expect(() => loadConfig(env)).toThrow(message);
  });

  it('reads values from files, as container platforms mount secrets', () => {
    const file = join(folder, 'url');
    writeFileSync(file, `${POSTGRES}\n`);
    expect(loadConfig({ DATABASE_URL_FILE: file })).toMatchObject({ databaseUrl: POSTGRES });
    expect(() => loadConfig({ DATABASE_URL_FILE: file, DATABASE_URL: POSTGRES })).toThrow('not both');
    expect(() => loadConfig({ DATABASE_URL_FILE: folder })).toThrow('DATABASE_URL_FILE cannot be read: EISDIR');
    writeFileSync(file, '\n');
    expect(() => loadConfig({ DATABASE_URL_FILE: file })).toThrow('DATABASE_URL_FILE cannot be read: it is empty');
  });
});
