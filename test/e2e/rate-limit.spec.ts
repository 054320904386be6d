import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { generateKey } from '../../src/auth/key-format.js';
import { KeysService } from '../../src/auth/keys.service.js';
import type { Config } from '../../src/common/config/config.js';
import { RateLimits } from '../../src/rate-limit/rate-limits.js';
import { expectError } from './support/expectations.js';
import { type Service, startService } from './support/service.js';

const redisUrl = process.env['REDIS_URL'];
/** Counts are kept for a minute, also between two runs on one Redis: each test counts on its own. */
const withRedis: [string, Partial<Config>][] = [
  ['in each process', {}],
  ['in each process while Redis cannot be reached', { redisUrl: 'redis://127.0.0.1:1' }],
  ...(redisUrl ? ([['in Redis', { redisUrl }]] as [string, Partial<Config>][]) : []),
];

describe.each(withRedis)('Rate limits, counted %s', (_, settings) => {
  const services: Service[] = [];
  afterEach(async () => {
    for (const service of services.splice(0)) await service.stop();
  });
  const start = async (limits: Partial<Config>): Promise<Service> => {
    const service = await startService({ ...settings, ...limits });
    services.push(service);
    return service;
  };
  /** Keys of new databases have the same numbers again; a shared count must begin anew all the same. */
  const freshKey = async (service: Service): Promise<{ authorization: string }> => {
    const keys = service.app.get(KeysService);
    const skip = settings.redisUrl === redisUrl ? Math.floor(Math.random() * 50) : 0;
    for (let i = 0; i < skip; i++) await keys.issue({ name: 'skipped' });
    return { authorization: `Bearer ${(await keys.issue({ name: 'fresh' })).key}` };
  };

  it('limit each key and report the remaining requests', async () => {
    const service = await start({ rateLimitPerKey: 3 });
    const headers = await freshKey(service);
    for (const remaining of [2, 1, 0]) {
      const answer = await service.get('/v1/pets', { headers });
      expect(answer.status).toBe(200);
      expect(answer.headers['ratelimit-policy']).toBe('"requests";q=3;w=60');
      expect(answer.headers['ratelimit']).toMatch(new RegExp(`^"requests";r=${remaining};t=[1-9]\\d?$`));
    }
    const refused = await service.post('/v1/pets', '{not even JSON', { headers });
    expectError(
      refused,
      'rate_limited',
      expect.stringMatching(/^Too many requests\. Try again in \d+ seconds\.$/),
    );
    expect(refused.headers['retry-after']).toMatch(/^[1-9]\d?$/);
    expect(refused.headers['ratelimit']).toBe(`"requests";r=0;t=${String(refused.headers['retry-after'])}`);

    expect((await service.get('/v1/pets', { headers: await freshKey(service) })).status).toBe(200);
    expect((await service.call('GET', '/health/ready')).status).toBe(200);
    expect((await service.call('GET', '/openapi.json')).status).toBe(200);
    expectError(await service.call('GET', '/v1/pets'), 'missing_api_key');
  });

  it('apply before the sunset check', async () => {
    const service = await start({ rateLimitPerKey: 1, sunsetRehearsal: true });
    const headers = await freshKey(service);
    expectError(await service.get('/v1/pets/1', { headers }), 'gone');
    const refused = await service.get('/v1/pets/1', { headers });
    expectError(refused, 'rate_limited');
    expect(refused.headers).toHaveProperty('sunset');
  });

  it('can be disabled', async () => {
    const service = await start({ rateLimitPerKey: 0, rateLimitFailures: 0 });
    const answer = await service.get('/v1/pets');
    expect(answer.headers).not.toHaveProperty('ratelimit');
  });
});

if (redisUrl) {
  it('Rate limits are shared by replicas that use the same Redis', async () => {
    const replicas = await Promise.all([
      startService({ redisUrl, rateLimitPerKey: 3 }),
      startService({ redisUrl, rateLimitPerKey: 3 }),
    ]);
    const client = randomUUID();
    const take = (replica: number) => replicas[replica]!.app.get(RateLimits).requests.take(client);
    const remaining = [await take(0), await take(1), await take(0)].map((allowance) => allowance?.remaining);
    const refused = await take(1);
    for (const replica of replicas) await replica.stop();
    expect(remaining).toEqual([2, 1, 0]);
    expect(() => refused?.require()).toThrow(/^Too many requests/);
  });
}

describe('Failed credentials', () => {
  let service: Service;
  afterEach(() => service.stop());
  const attempt = (address?: string) =>
    service.call('GET', '/v1/pets', {
      headers: {
        authorization: `Bearer ${generateKey('test')}`,
        ...(address && { 'x-forwarded-for': address }),
      },
    });

  it('are limited by address without affecting valid keys', async () => {
    service = await startService({ rateLimitFailures: 2 });
    expectError(await attempt(), 'invalid_api_key');
    expectError(await attempt(), 'invalid_api_key');
    const refused = await attempt();
    expectError(refused, 'rate_limited');
    expect(refused.headers['retry-after']).toMatch(/^[1-9]\d?$/);
    expectError(await service.call('GET', '/v1/pets'), 'missing_api_key');
    expect((await service.get('/v1/pets')).status).toBe(200);
  });

  it('are counted by socket address, ignoring X-Forwarded-For', async () => {
    service = await startService({ rateLimitFailures: 1 });
    expectError(await attempt('192.0.2.1'), 'invalid_api_key');
    expectError(await attempt('192.0.2.2'), 'rate_limited');
  });

  it('are counted by X-Forwarded-For of a trusted proxy', async () => {
    service = await startService({ rateLimitFailures: 1, trustedProxies: ['127.0.0.1'] });
    expectError(await attempt('192.0.2.1'), 'invalid_api_key');
    expectError(await attempt('192.0.2.2'), 'invalid_api_key');
    expectError(await attempt('198.51.100.7, 192.0.2.2'), 'rate_limited');
  });
});
