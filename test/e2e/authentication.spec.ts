import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { generateKey } from '../../src/auth/key-format.js';
import { KeysService } from '../../src/auth/keys.service.js';
import { DAY_MS, dayOf } from '../../src/common/clock.js';
import type { Answer } from './support/client.js';
import { describeInside } from './support/deployment.js';
import { expectError } from './support/expectations.js';
import { OPERATIONS } from './support/requests.js';
import { type Service, startService } from './support/service.js';
import { until } from './support/until.js';

const CHALLENGE = 'Bearer realm="animal-store"';

let service: Service;
beforeAll(async () => {
  service = await startService({ rateLimitFailures: 0 });
});
afterAll(() => service.stop());

describe.each(Object.entries(OPERATIONS))('%s requires an API key', (_, { method, path, body }) => {
  const send = (headers: Record<string, string>, to = path): Promise<Answer> =>
    service.call(method, to, { headers, ...(body && { body }) });

  it('and refuses a request without one', async () => {
    const answer = await send({});
    expectError(answer, 'missing_api_key', 'Send an API key as "Authorization: Bearer <API_KEY>".');
    expect(answer.headers).toMatchObject({ 'www-authenticate': CHALLENGE, 'cache-control': 'no-store' });
  });

  it.each([
    ['an unknown key', () => `Bearer ${service.key.slice(0, -1)}!`],
    ['another scheme', () => `Basic ${Buffer.from('user:password').toString('base64')}`],
    ['a key without a scheme', () => service.key],
    ['a key followed by other text', () => `Bearer ${service.key} x`],
    ['an empty credential', () => 'Bearer '],
  ])('and refuses %s', async (_, authorization) => {
    const answer = await send({ authorization: authorization() }, `${path}?access_token=${service.key}`);
    expectError(answer, 'invalid_api_key');
    expect(answer.headers['www-authenticate']).toBe(`${CHALLENGE}, error="invalid_token"`);
  });

  it('whose scheme may be in any case', async () => {
    const answer = await send({ authorization: `bEARER ${service.key}` });
    expect([200, 201, 204, 404, 409]).toContain(answer.status);
  });

  describeInside('that is still good', () => {
    it('and says when one expired', async () => {
      const { key, expiresAt } = await service.app.get(KeysService).issue({ name: 'old', lifeMs: -DAY_MS });
      const answer = await send({ authorization: `Bearer ${key}` });
      expectError(answer, 'expired_api_key', `The API key expired on ${dayOf(expiresAt)}. Ask for a new one.`);
      expect(answer.headers['www-authenticate']).toBe(`${CHALLENGE}, error="invalid_token"`);
    });
  });

  it('before it looks at anything else of the request', async () => {
    const options = { headers: { 'content-type': ';;' }, body: '{'.repeat(20_000) };
    expectError(await service.call(method, `${path}?x=1`, options), 'missing_api_key');
  });
});

describeInside('API keys', () => {
  let other: Service;
  let keys: KeysService;
  beforeAll(async () => {
    other = await startService({ rateLimitFailures: 0 }, undefined, [], service);
    keys = service.app.get(KeysService);
  });
  afterEach(() => service.clock.runOn());
  afterAll(() => other.stop());

  const list = (key: string, at = service) =>
    at.get('/v1/pets?limit=1', { headers: { authorization: `Bearer ${key}` } });
  const stored = async (id: bigint) =>
    (await service.database.query<Record<string, Date>>('SELECT * FROM api_keys WHERE id = $1', [id]))[0]!;

  it('of another kind of deployment are refused with an explanation', async () => {
    const live = await startService({ keyEnvironment: 'live' });
    expect((await list(live.key, live)).status).toBe(200);
    const takes = (kind: string) => `This deployment takes keys that begin with pets_${kind}_.`;
    expectError(await list(live.key), 'invalid_api_key', takes('test'));
    expectError(await list(service.key, live), 'invalid_api_key', takes('live'));
    await live.stop();
  });

  it('are not mixed up when many are checked at once', async () => {
    const valid = await Promise.all(['one', 'two', 'three'].map((name) => keys.issue({ name })));
    const expired = await keys.issue({ name: 'expired', lifeMs: -1 });
    const bad = [expired.key, 'nonsense', generateKey('test'), generateKey('test')];
    const sent = valid.flatMap(({ key }) => [key, ...bad, key]);
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(sent.map((key) => list(key)));
      expect(answers.map(({ status }) => status)).toEqual(sent.map((key) => (bad.includes(key) ? 401 : 200)));
    }
  });

  it('that are revoked stop working on every replica within five seconds', async () => {
    const { id, key } = await keys.issue({ name: 'to be revoked' });
    expect([(await list(key)).status, (await list(key, other)).status]).toEqual([200, 200]);
    await keys.revoke(id);
    expect(await keys.rotate(id, DAY_MS)).toBeUndefined();
    const revokedAt = Date.now();
    for (const replica of [service, other]) {
      await until(async () => (await list(key, replica)).status !== 200);
      expect(Date.now() - revokedAt).toBeLessThan(5_000);
      expectError(await list(key, replica), 'invalid_api_key');
    }
  });

  it('expire after 365 days, or as they were issued', async () => {
    const { id, key, expiresAt } = await keys.issue({ name: 'a year' });
    const row = await stored(id);
    expect(row['expires_at']!.getTime() - row['created_at']!.getTime()).toBe(365 * DAY_MS);
    expect(row['expires_at']).toEqual(expiresAt);
    service.clock.moveTo(expiresAt.getTime() - 1);
    expect((await list(key)).status).toBe(200);
    service.clock.moveTo(expiresAt.getTime());
    expectError(await list(key), 'expired_api_key');
  });

  it('are stored as a hash, and appear in no row and no line of the log', async () => {
    const { id, key } = await keys.issue({ name: 'stored' });
    await list(key);
    await list(`${key}x`);
    const row = await stored(id);
    expect(row['hash']).toHaveLength(32);
    const secret = key.slice('pets_test_'.length + 4);
    const text = JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
    expect(text).not.toContain(secret);
    const log = service.log.join('\n');
    expect(log).toContain('"key":"stored"');
    expect(log).toMatch(/"address":"(?:::ffff:)?127\.0\.0\.1"/);
    expect(log).not.toMatch(/pets_(test|live)_\w{5,}/);
    expect(log).not.toContain(secret);
  });

  it('are random at each of their places, and those of former releases go on working', async () => {
    const made = Array.from({ length: 3_000 }, () => generateKey('test'));
    const variety = Array.from({ length: 32 }, (_, i) => new Set(made.map((key) => key['pets_test_'.length + i])).size);
    expect(variety).toEqual(variety.map(() => 62));
    const former = 'pets_test_0123456789ABCDEFGHIJabcdefghijzZ3jP6Me';
    const values = `'former', sha256('${former}'), '', now(), now() + interval '1 day'`;
    await service.database.query(`INSERT INTO api_keys (name, hash, hint, created_at, expires_at) VALUES (${values})`);
    expect((await list(former)).status).toBe(200);
  });

  it('are rotated: both work during the overlap, then only the successor', async () => {
    service.clock.moveTo(Date.now());
    const old = await keys.issue({ name: 'rotated', lifeMs: 10 * DAY_MS });
    const successor = (await keys.rotate(old.id, DAY_MS))!;
    expect([(await list(old.key)).status, (await list(successor.key)).status]).toEqual([200, 200]);
    expect((await keys.rotate(old.id, DAY_MS))!.expiresAt).toEqual(successor.expiresAt); // not after what is left of the old
    service.clock.moveTo(service.clock.now() + DAY_MS - 1);
    expect((await list(old.key)).status).toBe(200);
    service.clock.moveTo(service.clock.now() + 1);
    expectError(await list(old.key), 'expired_api_key');
    expect(await keys.rotate(old.id, DAY_MS)).toBeUndefined();
    expect((await list(successor.key)).status).toBe(200);
  });

  it('do not live longer through rotation', async () => {
    const old = await keys.issue({ name: 'short', lifeMs: DAY_MS });
    const { expires_at: before } = await stored(old.id);
    await keys.rotate(old.id, 30 * DAY_MS);
    expect((await stored(old.id))['expires_at']).toEqual(before);
    const long = (await keys.rotate(old.id, DAY_MS, 9 * DAY_MS))!;
    const short = (await keys.rotate(long.id, 9 * DAY_MS, DAY_MS))!;
    expect((await keys.rotate(short.id, 0))!.expiresAt.getTime()).toBeLessThan(Date.now() + 2 * DAY_MS);
    const ids = (await keys.list()).map(({ id }) => Number(id));
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
  });

  describe('that may only read', () => {
    const issue = async () => {
      const { id, key } = await keys.issue({ name: 'dashboards', readOnly: true });
      return { id, headers: { authorization: `Bearer ${key}` } };
    };
    const expectRefused = (answer: Answer): void => {
      expectError(answer, 'read_only_key', 'This API key may only read. Ask for one that may change things.');
      expect(answer.headers['www-authenticate']).toBe(`${CHALLENGE}, error="insufficient_scope"`);
    };

    it.each(Object.entries(OPERATIONS))('may %s if that changes nothing', async (_, { method, path, body = {} }) => {
      const { headers } = await issue();
      if (method === 'GET') {
        expect([200, 404]).toContain((await service.call('GET', path, { headers })).status);
        return expect([200, 404]).toContain((await service.call('HEAD', path, { headers })).status);
      }
      expectRefused(await service.call(method, path, { headers, body }));
      expectRefused(await service.call(method, `${path}?x=1`, { headers, body: '{"not' }));
      expectRefused(await service.call(method, path, { headers, body: 'x'.repeat(20_000) }));
      for (const wrong of [{ 'content-type': undefined }, { 'content-type': ';;' }, { 'idempotency-key': '"' }])
        expectRefused(await service.call(method, path, { headers: { ...headers, ...wrong }, body }));
    });

    it('get 404, 405 and 429 before 403, which counts like any request', async () => {
      const { headers } = await issue();
      expect((await service.call('OPTIONS', '/v1/pets', { headers })).status).toBe(204);
      expectError(await service.call('POST', '/v1/pet', { headers }), 'not_found');
      expectError(await service.call('PUT', '/v1/pets', { headers }), 'method_not_allowed');
      const limited = await startService({ rateLimitPerKey: 1 }, undefined, [], service);
      const post = () => limited.post('/v1/pets', '{', { headers });
      const [first, second] = [await post(), await post()];
      await limited.stop();
      expectRefused(first);
      expectError(second, 'rate_limited');
    });

    it('do not use up an Idempotency-Key', async () => {
      const { id, headers } = await issue();
      const options = { headers: { ...headers, 'idempotency-key': randomUUID() } };
      expectRefused(await service.post('/v1/pets', { name: 'Bella', categoryId: 1 }, options));
      expect(await service.database.query('SELECT FROM idempotency_records')).toEqual([]);
      // A replica that has not looked the key up takes it as it is now.
      await service.database.query('UPDATE api_keys SET read_only = false WHERE id = $1', [id]);
      expect((await other.post('/v1/pets', { name: 'Rex', categoryId: 1 }, options)).status).toBe(201);
    });
  });

  it('have their last use recorded at most once a minute', async () => {
    const { id, key } = await keys.issue({ name: 'used' });
    const lastUse = async () => (await stored(id))['last_used_at']?.getTime();
    await list(key);
    let first: number | undefined;
    await until(async () => (first = await lastUse()) !== undefined);
    service.clock.moveTo(first! + 59_999);
    await list(key);
    expect(await lastUse()).toBe(first);
    service.clock.moveTo(first! + 60_000);
    await list(key);
    await until(async () => (await lastUse()) === first! + 60_000);
  });
});
