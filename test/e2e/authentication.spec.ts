import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeysService } from '../../src/auth/keys.service.js';
import { DAY_MS, dayOf } from '../../src/common/clock.js';
import type { Answer } from './support/client.js';
import { describeInside } from './support/deployment.js';
import { expectError } from './support/expectations.js';
import { OPERATIONS } from './support/requests.js';
import { type Service, startService } from './support/service.js';

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
    const answer = await send({ authorization: authorization() });
    expectError(answer, 'invalid_api_key');
    expect(answer.headers['www-authenticate']).toBe(`${CHALLENGE}, error="invalid_token"`);
  });

  it('in the Authorization header, not in the query or the body', async () => {
    expectError(await send({}, `${path}?access_token=${service.key}`), 'missing_api_key');
    const inBody = { ...body, access_token: service.key };
    expectError(await service.call(method, path, { body: inBody }), 'missing_api_key');
  });

  it('whose scheme may be in any case', async () => {
    const answer = await send({ authorization: `bEARER ${service.key}` });
    expect([200, 201, 204, 404, 409]).toContain(answer.status);
  });

  describeInside('that is still good', () => {
    it('and says when one expired', async () => {
      const { key, expiresAt } = await service.app.get(KeysService).issue({ name: 'old', lifeMs: -DAY_MS });
      const answer = await send({ authorization: `Bearer ${key}` });
      const day = dayOf(expiresAt);
      expectError(answer, 'expired_api_key', `The API key expired on ${day}. Ask for a new one.`);
      expect(answer.headers['www-authenticate']).toBe(`${CHALLENGE}, error="invalid_token"`);
    });

    it('and refuses one that was revoked', async () => {
      const keys = service.app.get(KeysService);
      const { id, key } = await keys.issue({ name: 'revoked' });
      await keys.revoke(id);
      expectError(await send({ authorization: `Bearer ${key}` }), 'invalid_api_key');
    });
  });

  it('before it looks at anything else of the request', async () => {
    const options = { headers: { 'content-type': ';;' }, body: '{'.repeat(20_000) };
    expectError(await service.call(method, `${path}?x=1`, options), 'missing_api_key');
  });
});
