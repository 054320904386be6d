import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { dayOf } from './clock.js';
import { Config, loadConfig } from './config.js';
import { SETTINGS } from './settings.js';

const POSTGRES = 'postgres://user:password@localhost/animals';

describe('The configuration', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'config-spec-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('has a default for everything, as docs/settings.md says; an empty variable counts as absent', () => {
    expect(loadConfig({ PORT: '', DATABASE_URL: '' })).toEqual(new Config());
    expect(loadConfig({ DATABASE_URL: POSTGRES, SHUTDOWN_DRAIN_MS: '0' }).drainMs).toBe(0);
    expect(new Config()).toMatchObject({ apiBase: '/v1', rootPath: '', docsUrl: '/docs', drainMs: 0 });
    const page = readFileSync('docs/settings.md', 'utf8');
    for (const { name, value = '' } of Object.values(SETTINGS)) {
      const text = value instanceof Date ? dayOf(value) : String(value);
      expect(page).toContain(`| \`${name}\` | ${text && `\`${text}\``} |`);
    }
  });

  it.each<[string, string, Partial<Config>]>([
    ['PORT', '0', { port: 0 }],
    ['DATABASE_POOL_SIZE', '6', { databasePoolSize: 6 }],
    ['DATABASE_URL', POSTGRES, { databaseUrl: POSTGRES, drainMs: process.stdout.isTTY ? 0 : 2_000 }],
    ['REDIS_URL', 'redis://localhost:6379/1', { redisUrl: 'redis://localhost:6379/1' }],
    ['PUBLIC_URL', 'https://x.example/pets/v1', { apiBase: 'https://x.example/pets/v1', rootPath: '/pets' }],
    ['CONTACT', 'support@example.com', { contact: 'support@example.com' }],
    ['TRUSTED_PROXIES', '10.0.0.0/8, ::1', { trustedProxies: ['10.0.0.0/8', '::1'] }],
    ['CORS_ORIGINS', 'https://app.example.com', { corsOrigins: ['https://app.example.com'] }],
    ['DATABASE_PREPARED_STATEMENTS', 'false', { preparedStatements: false }],
    ['GETPET_DEPRECATED_ON', '2024-02-29', { getPetDeprecatedOn: new Date('2024-02-29T00:00:00Z') }],
    ['SHUTDOWN_DRAIN_MS', '60000', { drainMs: 60_000 }],
  ])('reads %s=%s', (name, value, expected) => {
    const config = loadConfig({ [name]: value });
    for (const [property, wanted] of Object.entries(expected)) expect(config).toHaveProperty(property, wanted);
  });

  it.each([
    ['PORT', '65536'],
    ['PUBLIC_URL', 'https://x.example//v1'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['PORT', '0x10'],
    ['DATABASE_URL', 'mysql://localhost'],
    ['DATABASE_URL', 'postgres://user:100%@localhost/animals'],
    ['DATABASE_POOL_SIZE', '5'],
    ['DATABASE_DISTRIBUTION', 'shards'],
    ['REDIS_URL', 'redis://localhost/name'],
    ['PUBLIC_URL', 'https://x.example'],
    ['PUBLIC_URL', 'https://x.example/v1/'],
    ['PUBLIC_URL', 'https://x.example//v1'],
    ['PUBLIC_URL', 'https://x.example/für/v1'],
    ['KEY_ENVIRONMENT', 'production'],
    ['SUNSET_REHEARSAL', 'yes'],
    ['SUNSET_REHEARSAL', 'constructor'],
    ['TRUSTED_PROXIES', '0.0.0.0/0'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['CORS_ORIGINS', 'https://app.example.com/'],
    ['CONTACT', 'http://example.com'],
    ['GETPET_SUNSET_ON', '2030-02-30'],
    ['LOG_LEVEL', 'verbose'],
  ])('refuses %s=%s', (name, value) => {
    expect(() => loadConfig({ [name]: value })).toThrow(`  - ${name} must be `);
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
