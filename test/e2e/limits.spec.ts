import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { Fetched, Resource } from '../../src/api/decorators.js';
import { generateKey } from '../../src/auth/key-format.js';
import { KeysService } from '../../src/auth/keys.service.js';
import type { Config } from '../../src/common/config.js';
import { describeInside } from './support/deployment.js';
import { expectError } from './support/expectations.js';
import { fakeOnly } from './support/fake-timers.js';
import { startRedis } from './support/redis.js';
import { type Service, startService } from './support/service.js';
import { sendRaw } from './support/socket.js';
import { until } from './support/until.js';

const withRedis = spawnSync('redis-server', ['--version']).status === 0 ? describe : describe.skip;

const ORIGIN = 'https://app.example.org';

/** A request that lasts as long as a test wants. */
let begun = (): void => {};
let finish = (): void => {};
const isHeld = () => new Promise<void>((resolve) => (begun = resolve));

@Resource('test-held', 'Waits')
@Controller('test-held')
class HeldController {
  @Get()
  @ApiOperation({ summary: 'Wait' })
  @Fetched({ type: HeldController, description: 'At the end.' })
  async hold(): Promise<object> {
    begun();
    await new Promise<void>((resolve) => (finish = resolve));
    return {};
  }
}

@Module({ controllers: [HeldController] })
class HeldModule {}

/** Has the database of all. */
let base: Service;
beforeAll(async () => {
  base = await startService();
});
afterAll(() => base.stop());

describeInside('Rate limits', () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    jest.useRealTimers().restoreAllMocks();
    for (const stop of stops.splice(0).toReversed()) await stop();
  });
  const start = async (settings: Partial<Config>): Promise<Service> => {
    const service = await startService(settings, undefined, [], base);
    stops.push(service.stop);
    return service;
  };
  const issue = async (service: Service) => (await service.app.get(KeysService).issue({ name: 'tests' })).key;
  const attempt = (service: Service, address: string, key = generateKey('test')) =>
    service.call('GET', '/v1/pets', { headers: { authorization: `Bearer ${key}`, 'x-forwarded-for': address } });

  describe('of a key', () => {
    it('hold for each key, are reported to the second with every answer, and come before the body', async () => {
      const service = await start({ rateLimitPerKey: 3 });
      fakeOnly('Date');
      const policy = { 'ratelimit-policy': '"requests";q=3;w=60' };
      const remaining = (r: number, t: number) => ({ ...policy, ratelimit: `"requests";r=${r};t=${t}` });
      const post = () => service.post('/v1/pets', '{not even JSON');
      expect(await service.get('/v1/pets')).toMatchObject({ status: 200, headers: remaining(2, 60) });
      jest.advanceTimersByTime(1);
      expect(await service.get('/v1/pets/x')).toMatchObject({ status: 404, headers: remaining(1, 60) });
      jest.advanceTimersByTime(58_599);
      expect(await post()).toMatchObject({ status: 400, headers: remaining(0, 2) });
      const refused = await post();
      expectError(refused, 'rate_limited', 'Too many requests. Try again in 2 seconds.');
      expect(refused.headers).toMatchObject({ 'retry-after': '2', ...remaining(0, 2) });
      expect((await attempt(service, '', await issue(service))).status).toBe(200);
      jest.advanceTimersByTime(2_000); // as Retry-After says
      expect(await service.get('/v1/pets')).toMatchObject({ status: 200, headers: remaining(2, 60) });
    });

    it('do not count what needs no key', async () => {
      const service = await start({ rateLimitPerKey: 1 });
      await service.get('/v1/pets');
      for (const path of ['/health/ready', '/openapi.json']) expect((await service.call('GET', path)).status).toBe(200);
      expectError(await service.call('GET', '/v1/pets'), 'missing_api_key');
      expectError(await service.get('/v1/.nothing'), 'not_found');
    });

    it('can be switched off', async () => {
      const service = await start({ rateLimitPerKey: 0 });
      const { headers } = await service.get('/v1/pets');
      expect(Object.keys(headers).join()).not.toContain('ratelimit');
      expect((await base.get('/v1/pets')).headers['ratelimit-policy']).toBe('"requests";q=20000;w=60');
    });
  });

  describe('of failed credentials', () => {
    it('hold for an address, that of the socket whatever a client claims, and keys in use go on working', async () => {
      const service = await start({ rateLimitFailures: 2 });
      // A key that is not known yet, as after a restart, is no failure, however many send it at once.
      const answers = await Promise.all(Array.from({ length: 10 }, () => service.get('/v1/pets')));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      for (const address of ['192.0.2.1', '192.0.2.2']) expectError(await attempt(service, address), 'invalid_api_key');
      const refused = await attempt(service, '192.0.2.3');
      expectError(refused, 'rate_limited');
      expect(refused.headers['retry-after']).toMatch(/^[1-9]\d?$/);
      expectError(await attempt(service, '192.0.2.3', await issue(service)), 'rate_limited'); // though it is valid
      expectError(await service.call('GET', '/v1/pets'), 'missing_api_key');
      expect((await service.get('/v1/pets')).status).toBe(200);
    });

    it('leave out keys that were found before, however long ago, those that have ended included', async () => {
      const service = await start({ rateLimitFailures: 1 });
      const { key } = await service.app.get(KeysService).issue({ name: 'ended', lifeMs: -1 });
      expectError(await attempt(service, '', key), 'expired_api_key');
      expectError(await attempt(service, ''), 'rate_limited');
      jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
      expectError(await attempt(service, '', key), 'expired_api_key');
    });

    it('do not count what cannot be a key of this deployment, and the service tells once of a proxy it does not trust', async () => {
      const service = await start({ rateLimitFailures: 1 });
      const one = `Authorization: Bearer ${service.key}\r\n`;
      const two = `GET /v1/pets HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${one}${one}\r\n`;
      expect(await sendRaw(service.origin, two)).toContain('"invalid_api_key"');
      const words = ['nonsense', generateKey('live'), `${service.key.slice(0, -1)}!`];
      for (const word of words) expectError(await attempt(service, '192.0.2.1', word), 'invalid_api_key');
      expect((await attempt(service, '192.0.2.1', service.key)).status).toBe(200);
      for (const status of [401, 429]) expect((await attempt(service, '192.0.2.1')).status).toBe(status);
      expect(service.log.filter((line) => /"level":40.*"context":"Proxy".*TRUSTED_PROXIES/.test(line))).toHaveLength(1);
    });

    it('count by X-Forwarded-For of a trusted proxy; a /48 of IPv6 is one', async () => {
      const service = await start({ rateLimitFailures: 1, trustedProxies: ['127.0.0.1'] });
      for (const address of ['192.0.2.1', '192.0.2.2']) expectError(await attempt(service, address), 'invalid_api_key');
      expectError(await attempt(service, '198.51.100.7, ::ffff:192.0.2.2'), 'rate_limited');
      expectError(await attempt(service, '2001:db8::1'), 'invalid_api_key');
      expectError(await attempt(service, '2001:db8:0:ffff::2'), 'rate_limited');
      expectError(await attempt(service, '2001:db8:1::1'), 'invalid_api_key');
      // What is no address counts and is logged as that of the proxy.
      expectError(await attempt(service, '7'.repeat(15_000)), 'invalid_api_key');
      expectError(await attempt(service, `fe80::1%${'7'.repeat(15_000)}`), 'rate_limited');
      const log = service.log.join('');
      expect(log).toContain('"address":"127.0.0.1"');
      expect(log).not.toMatch(/7777|TRUSTED_PROXIES/);
    });
  });

  it('hold in each process while Redis cannot be reached', async () => {
    const service = await start({ rateLimitPerKey: 1, redisUrl: base.origin.replace('http', 'redis') });
    expect((await service.get('/v1/pets')).status).toBe(200);
    expectError(await service.get('/v1/pets'), 'rate_limited');
    await until(async () => base.log.filter((line) => line.includes('malformed request')).length > 1);
    const told = service.log.filter((line) => line.includes('Redis'));
    expect(told).toEqual([expect.stringContaining('this process counts alone until Redis is back')]);
  });

  withRedis('with Redis (needs redis-server)', () => {
    it('are shared by replicas', async () => {
      const { url: redisUrl, client, stop } = await startRedis();
      stops.push(stop);
      const one = await start({ rateLimitPerKey: 3, redisUrl });
      const other = await start({ rateLimitPerKey: 3, redisUrl });
      const [first, second, shared] = [await issue(one), await issue(one), await issue(one)];
      const ask = (service: Service, key: string) =>
        service.get('/v1/pets', { headers: { authorization: `Bearer ${key}` } });
      // Until a replica is connected, it counts alone.
      await until(async () => (await ask(one, first)) && (await client.dbSize()) >= 1);
      await until(async () => (await ask(other, second)) && (await client.dbSize()) >= 2);
      const left: unknown[] = [];
      for (const replica of [one, other, one]) left.push((await ask(replica, shared)).headers['ratelimit']);
      expect(left).toEqual([2, 1, 0].map((count) => expect.stringContaining(`r=${count};`)));
      expectError(await ask(other, shared), 'rate_limited');
    });

    it('delay nobody after a second without an answer, and are shared for as long as there are answers', async () => {
      const { url: redisUrl, client, signal, stop } = await startRedis();
      stops.push(stop);
      const service = await start({ redisUrl, rateLimitFailures: 0 });
      const timed = async () => {
        const begun = performance.now();
        expect((await service.get('/v1/pets')).status).toBe(200);
        return performance.now() - begun;
      };
      const isShared = async () => (await timed()) > 0 && (await client.dbSize()) === 1;
      await until(isShared);
      const counter = String(await client.randomKey());
      expect(counter).toMatch(/^animal-store:test:requests:\d+$/); // apart from those of other deployments
      const before = Number(await client.get(counter));
      let asked = 0;
      for (const begun = performance.now(); performance.now() - begun < 1_500; asked++) await pause(10).then(timed);
      expect(Number(await client.get(counter))).toBe(before + asked);
      for (const outages of [1, 2]) {
        const told = (text: string) => service.log.filter((line) => line.includes(text)).length >= outages;
        signal('SIGSTOP');
        const frozen = performance.now();
        expect(await timed()).toBeLessThan(800); // one that waits takes 50 ms
        await until(async () => (await timed()) < 45);
        expect(performance.now() - frozen).toBeLessThan(4_000);
        await until(async () => told('counts alone'));
        signal('SIGCONT');
        await client.flushAll();
        await until(async () => (await isShared()) && told('counted together'));
      }
      await service.stop();
      await until(async () => (await client.clientList()).length === 1);
    });
  });
});

describeInside('The limit of concurrent requests', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ maxConcurrentRequests: 1, corsOrigins: [ORIGIN] }, undefined, [HeldModule], base);
  });
  afterAll(() => service.stop());

  /** Does this while one request is in flight. */
  const meanwhile = async (work: () => Promise<void>): Promise<void> => {
    const answer = service.get('/v1/test-held');
    await Promise.race([isHeld(), answer]);
    await work().finally(finish);
    expect((await answer).status).toBe(200);
  };

  it('refuses what is beyond it, with or without a key, also documents, but no health checks', () =>
    meanwhile(async () => {
      const paths = ['GET /v1/pets', 'GET /v1/pets/1', 'POST /v1/pets', 'PATCH /v1/store/orders/1'];
      for (const request of [...paths, 'GET /docs', 'GET /docs/swagger-ui-bundle.js', 'GET /openapi.json']) {
        const [method = '', path = ''] = request.split(' ');
        const answer = await service.call(method, path, { headers: { 'x-request-id': 'x1', origin: ORIGIN } });
        expectError(answer, 'service_unavailable', 'The service is overloaded. Try again in a second.');
        const headers = { 'retry-after': '1', 'x-request-id': 'x1', 'access-control-allow-origin': ORIGIN };
        expect(answer.headers).toMatchObject({ ...headers, 'cache-control': 'no-store' });
        expect('deprecation' in answer.headers).toBe(path === '/v1/pets/1');
      }
      for (const path of ['/health/live', '/health/ready']) expect((await service.call('GET', path)).status).toBe(200);
    }));

  it('is free again with the answer, and leaves the connections of the refused open', async () => {
    await meanwhile(async () => {
      const list = 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n';
      const received = await sendRaw(service.origin, `${list}\r\n${list}Connection: close\r\n\r\n`);
      expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 503', 'HTTP/1.1 503']);
      expect(received).toContain('Keep-Alive: timeout=72'); // longer than that of common proxies
    });
    for (let i = 0; i < 5; i++) expect((await service.get('/v1/pets')).status).toBe(200);
  });

  it('is free again after clients that left before their answer', async () => {
    const request = `GET /v1/test-held HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n\r\n`;
    const socket = connect(Number(new URL(service.origin).port)).on('error', () => {});
    socket.write(request.repeat(3)); // pipelined
    await isHeld();
    socket.destroy();
    await once(socket, 'close');
    finish();
    await until(async () => (await service.get('/v1/pets')).status === 200);
    expect((await service.get('/v1/pets')).status).toBe(200);
  });
});
