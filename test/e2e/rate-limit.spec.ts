import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createClient, type RedisClientType } from '@redis/client';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { DataSource } from 'typeorm';
import { generateKey } from '../../src/auth/key-format.js';
import { KeysRepository } from '../../src/auth/keys.repository.js';
import { KeysService } from '../../src/auth/keys.service.js';
import type { Config } from '../../src/common/config/config.js';
import { FailedCredentials } from '../../src/auth/failed-credentials.js';
import { RateLimits } from '../../src/rate-limit/rate-limits.js';
import type { Answer } from './support/client.js';
import { expectError } from './support/expectations.js';
import { type Service, startService } from './support/service.js';

const redisUrl = process.env['REDIS_URL'];
/** Redis keeps counts for a minute, beyond the end of a run, so each test has its own counts. */
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
  /** Keys of different databases have the same ids. Their shared counts must not mix. */
  const freshKey = async (service: Service): Promise<{ authorization: string }> => {
    const id = 1_000 + Math.floor(Math.random() * 1e15);
    await service.app.get(DataSource).query(`ALTER TABLE api_keys ALTER id RESTART WITH ${id}`);
    const { key } = await service.app.get(KeysService).issue({ name: 'fresh' });
    return { authorization: `Bearer ${key}` };
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
    expect(() => refused?.throwIfExceeded()).toThrow(/^Too many requests/);
  });

  it('Rate limits end after a minute though the clock of Redis was set back', async () => {
    const operator = createClient({ url: redisUrl });
    await operator.connect();
    const service = await startService({ redisUrl, rateLimitPerKey: 1 });
    const client = randomUUID();
    const take = async () => service.app.get(RateLimits).requests.take(client);
    await take();
    const key = `animal-store:test:requests:${client}`;
    expect(await operator.pExpire(key, 3_600_000)).toBe(1);
    const refused = await take();
    while ((await operator.exists(key)) === 1) await delay(10);
    const next = await take();
    await service.stop();
    await operator.close();
    expect(() => refused?.throwIfExceeded()).toThrow('Too many requests. Try again in 60 seconds.');
    expect(next?.remaining).toBe(0);
    expect(() => next?.throwIfExceeded()).not.toThrow();
  });
}

const redisPid = Number(process.env['REDIS_PID']);
if (redisPid) {
  describe('While Redis does not answer', () => {
    let service: Service;
    let operator: RedisClientType;
    beforeEach(async () => {
      operator = createClient({ url: redisUrl });
      await operator.connect();
      service = await startService({ redisUrl, rateLimitPerKey: 30 });
      await untilCountedTogether();
    });
    afterEach(async () => {
      jest.restoreAllMocks();
      thaw();
      await allowWrites();
      await operator.close();
      await service.stop();
    });

    const freeze = () => process.kill(redisPid, 'SIGSTOP');
    const thaw = () => process.kill(redisPid, 'SIGCONT');
    /** It greets and answers pings meanwhile. */
    const holdWrites = () => operator.sendCommand(['CLIENT', 'PAUSE', '30000', 'WRITE']);
    const allowWrites = () => operator.sendCommand(['CLIENT', 'UNPAUSE']);

    const take = (client: string): unknown => service.app.get(RateLimits).requests.take(client);
    /** Shared counts are asynchronous and use the library. */
    const untilCountedTogether = async (): Promise<void> => {
      const consume = jest.spyOn(RateLimiterRedis.prototype, 'consume');
      for (let answered = false; !answered; await delay(20)) {
        await take('anybody');
        const outcome = consume.mock.results.at(-1)?.value as Promise<unknown> | undefined;
        answered = await (outcome ?? Promise.reject(new Error())).then(
          () => true,
          (error) => error instanceof RateLimiterRes,
        );
      }
      consume.mockRestore();
    };

    it.each([
      ['it is frozen', freeze, thaw],
      ['it holds up writes', holdWrites, allowWrites],
    ])('requests are held to the limit of the process, and few wait: %s', async (_, begin, end) => {
      const sent = jest.spyOn(RateLimiterRedis.prototype, 'consume');
      await begin();
      const statuses: number[] = [];
      for (let wave = 0; wave < 10; wave++, await delay(50)) {
        const answers = await Promise.all(Array.from({ length: 5 }, () => service.get('/v1/pets')));
        statuses.push(...answers.map(({ status }) => status));
      }
      expect(statuses.filter((status) => status === 200)).toHaveLength(30);
      expect(statuses.filter((status) => status === 429)).toHaveLength(20);
      expect(sent.mock.calls.length).toBeLessThanOrEqual(5); // only the first wave reached Redis
      const outcomes = await Promise.allSettled(sent.mock.results.map(({ value }) => value));
      expect(outcomes.map(({ status }) => status)).toEqual(Array(sent.mock.calls.length).fill('rejected'));

      await end();
      await untilCountedTogether();
      // A reason that holds for five seconds may be between them, on a slow machine.
      const lines = service.log.filter((line) => line.includes('Redis') && !line.includes('still away'));
      expect(lines).toEqual([
        expect.stringContaining(
          'Redis: no answer within 100 ms; limits hold for this process until it is back',
        ),
        expect.stringContaining('Redis is back; limits are counted together again.'),
      ]);
    });
  });
}

if (redisUrl && redisPid) {
  describe('While Redis refuses commands', () => {
    let service: Service;
    let operator: RedisClientType;
    beforeEach(async () => {
      operator = createClient({ url: redisUrl });
      await operator.connect();
    });
    afterEach(async () => {
      jest.restoreAllMocks();
      await operator.close();
      await service.stop();
    });

    it.each([
      ['OOM', 'CONFIG SET maxmemory 1', 'CONFIG SET maxmemory 0'],
      ['NOPERM', 'ACL SETUSER default -eval', 'ACL SETUSER default +eval'],
    ])('each process counts alone, and the log names the reason: %s', async (reason, refuse, accept) => {
      service = await startService({ redisUrl, rateLimitPerKey: 0, rateLimitFailures: 30 });
      const told = () => service.log.filter((line) => line.includes('Redis'));
      const take = async (address: string) => {
        const allowance = await service.app.get(RateLimits).failures.take(address);
        return allowance?.remaining;
      };
      await operator.sendCommand(refuse.split(' '));
      try {
        for (let i = 0; i < 200 && told().length === 0; i++) await take('198.51.100.7').then(() => delay(10));
        const [first, second] = [await take('198.51.100.8'), await take('198.51.100.8')];
        expect([first, second]).toEqual([29, 28]);
      } finally {
        await operator.sendCommand(accept.split(' '));
      }
      const now = performance.now.bind(performance);
      await take('198.51.100.7');
      expect(told()).toHaveLength(1);
      jest.spyOn(performance, 'now').mockImplementation(() => now() + 10_000);
      await take('198.51.100.7');
      expect(told()).toEqual([
        expect.stringMatching(new RegExp(`Redis refuses commands: ${reason} [^,.:]+; limits hold for this`)),
        expect.stringContaining('Redis is back; limits are counted together again.'),
      ]);
      expect(told().join()).not.toContain('198.51.100');
    });

    it('a connection to a demoted primary is replaced, since its address may lead to the new one', async () => {
      service = await startService({ redisUrl, rateLimitFailures: 30 });
      const told = () => service.log.filter((line) => line.includes('Redis'));
      const take = () => service.app.get(RateLimits).failures.take('198.51.100.9');
      const accepted = async () =>
        Number(/total_connections_received:(\d+)/.exec(await operator.info('stats'))?.[1]);
      await operator.sendCommand(['REPLICAOF', '127.0.0.1', '1']);
      try {
        while (told().length === 0) await delay(10, await take());
        const before = await accepted();
        while ((await accepted()) === before) await delay(10);
      } finally {
        await operator.sendCommand(['REPLICAOF', 'NO', 'ONE']);
      }
      while (told().length === 1) await delay(10);
      expect(told()).toEqual([
        expect.stringContaining('Redis refuses commands: READONLY'),
        expect.stringContaining('Redis is back; limits are counted together again.'),
      ]);
    });
  });
}

describe('Failed credentials', () => {
  let service: Service;
  afterEach(async () => {
    jest.restoreAllMocks();
    await service.stop();
  });
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

  it('cost few look-ups once the allowance is used up, and keys in use go on working', async () => {
    service = await startService({ rateLimitFailures: 3, rateLimitPerKey: 0 });
    const keys = service.app.get(KeysService);
    const [inUse, neverSeen] = [
      await keys.issue({ name: 'in use' }),
      await keys.issue({ name: 'never seen' }),
    ];
    const withKey = ({ key }: { key: string }, scheme = 'Bearer') =>
      service.call('GET', '/v1/pets', { headers: { authorization: `${scheme} ${key}` } });
    expect((await withKey(inUse)).status).toBe(200);
    const lookUps = jest.spyOn(service.app.get(KeysRepository), 'findByHash');
    for (let i = 0; i < 3; i++) expectError(await attempt(), 'invalid_api_key');

    const seconds = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    for (let i = 0; i < 20; i++) expectError(await attempt(), 'rate_limited');
    expect(lookUps).toHaveBeenCalledTimes(3 + 5);
    expectError(await withKey(neverSeen), 'rate_limited');
    seconds.mockRestore();

    // Even when the key is no longer cached.
    for (let asked = 8; asked === 8; asked = lookUps.mock.calls.length) {
      expect((await withKey(inUse)).status).toBe(200);
      expect((await withKey(inUse, 'bearer')).status).toBe(200);
      await delay(100);
    }
    while ((await withKey(neverSeen)).status !== 200) await delay(100);
  });

  it('of one address, while they are looked up, leave room for other requests', async () => {
    service = await startService({
      maxConcurrentRequests: 8,
      rateLimitFailures: 0,
      trustedProxies: ['127.0.0.1'],
    });
    expect((await service.get('/v1/pets')).status).toBe(200);
    let answerAll = (): void => {};
    const lookUp = new Promise<null>((resolve) => (answerAll = () => resolve(null)));
    jest.spyOn(service.app.get(KeysRepository), 'findByHash').mockReturnValue(lookUp);
    const refused: Answer[] = [];
    const attempts = Array.from({ length: 12 }, async () => {
      const answer = await attempt('192.0.2.1');
      if (answer.status === 503) refused.push(answer);
      return answer;
    });
    for (let i = 0; i < 500 && refused.length < 7; i++) await delay(10);
    const busy = 'Too many keys of this network are being looked up. Try again in a second.';
    for (const answer of refused) expectError(answer, 'service_unavailable', busy);
    expect((await service.get('/v1/pets')).status).toBe(200);
    const other = attempt('192.0.2.2');
    await delay(100);
    answerAll();
    for (const answer of await Promise.all([other, ...attempts]))
      if (!refused.includes(answer)) expectError(answer, 'invalid_api_key');
    expect(refused).toHaveLength(7);
  });

  it('push no valid key out of memory', async () => {
    service = await startService({ rateLimitFailures: 0 });
    const keys = service.app.get(KeysService);
    expect((await service.get('/v1/pets')).status).toBe(200);
    jest.spyOn(service.app.get(KeysRepository), 'findByHash').mockResolvedValue(null);
    const begun = performance.now();
    for (let second = 1; second <= 7; second++) {
      jest.spyOn(performance, 'now').mockReturnValue(begun + second * 1_000);
      for (let i = 0; i < 1_900; i++) await keys.verify(generateKey('test')).catch(() => {});
    }
    expect(keys.hasSeen(service.key)).toBe(true);
  });

  it('are told apart by whether they cost a look-up', async () => {
    service = await startService();
    const counted = jest.spyOn(FailedCredentials.prototype, 'count');
    const key = generateKey('test');
    for (const token of [key, key, 'malformed'])
      await service.call('GET', '/v1/pets', { headers: { authorization: `Bearer ${token}` } });
    expect(counted.mock.calls.map(([, wasLookedUp]) => wasLookedUp)).toEqual([true, false, false]);
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
    expectError(await attempt('2001:db8::1'), 'invalid_api_key');
    expectError(await attempt('2001:db8:1::1'), 'invalid_api_key');
    expectError(await attempt('2001:db8:0:ffff::2'), 'rate_limited');
    expectError(await attempt('192.0.2.1:51234'), 'rate_limited');
    expectError(await attempt('[2001:db8::1]:443'), 'rate_limited');
    expectError(await attempt('unknown1'), 'invalid_api_key');
    expectError(await attempt('unknown2'), 'rate_limited');
  });
});
