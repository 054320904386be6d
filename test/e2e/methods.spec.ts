import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeInside } from './support/deployment.js';
import { expectError } from './support/expectations.js';
import { addOrder, addPet } from './support/resources.js';
import { type Service, startService } from './support/service.js';

const BOTH = 'application/json, application/merge-patch+json';
const ORIGIN = 'https://app.example.org';
const PREFLIGHT = { origin: ORIGIN, 'access-control-request-method': 'POST' };

describe('Methods', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  describe.each([
    ['/v1/pets', 'GET, HEAD, OPTIONS, POST'],
    ['/v1/pets/1', 'GET, HEAD, OPTIONS'],
    ['/v1/store/orders', 'GET, HEAD, OPTIONS, POST'],
    ['/v1/store/orders/1', 'DELETE, GET, HEAD, OPTIONS, PATCH'],
    ['/health/live', 'GET, HEAD, OPTIONS'],
    ['/health/ready', 'GET, HEAD, OPTIONS'],
    ['/openapi.json', 'GET, HEAD, OPTIONS'],
    ['/docs', 'GET, HEAD, OPTIONS'],
  ])('of %s', (path, allow) => {
    const acceptPatch = allow.includes('PATCH') ? BOTH : undefined;

    it(`are ${allow}, as OPTIONS says without a key`, async () => {
      const { status, headers, text } = await service.call('OPTIONS', path);
      expect({ status, text, allow: headers['allow'] }).toEqual({ status: 204, text: '', allow });
      expect(headers['accept-patch']).toBe(acceptPatch);
      expect(headers).not.toHaveProperty('content-type');
    });

    it('are the only ones: others are 405 without a key', async () => {
      const others = ['PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'].filter((one) => !allow.includes(one));
      for (const method of others) {
        const answer = await service.call(method, path);
        expectError(answer, 'method_not_allowed', `The methods of this resource are ${allow}.`);
        expect(answer.headers['allow']).toBe(allow);
      }
    });
  });

  it('HEAD is GET without the body, refusals included', async () => {
    const { id, petId } = await addOrder(service);
    const headers = { authorization: `Bearer ${service.key}` };
    const paths = ['/v1/pets?limit=1', `/v1/pets/${petId}`, `/v1/store/orders/${id}`, '/v1/pets?limit=0', '/docs'];
    for (const path of paths) {
      const [got, head] = [await service.get(path), await service.call('HEAD', path, { headers })];
      const same = ['content-type', 'content-length', 'link', 'deprecation', 'cache-control', 'etag'];
      const shown = ({ status, headers }: typeof got) => [status, ...same.map((name) => headers[name])];
      expect(shown(head)).toEqual(shown(got));
      expect(head.text).toBe('');
    }
  });

  it('DELETE answers 204 without a body, and skips that of the request', async () => {
    const { id } = await addOrder(service, { petId: (await addPet(service)).id });
    const { status, headers, text } = await service.delete(`/v1/store/orders/${id}`, { body: '{' });
    expect({ status, text }).toEqual({ status: 204, text: '' });
    for (const name of ['content-type', 'content-length', 'transfer-encoding', 'allow'])
      expect(headers).not.toHaveProperty(name);
  });

  it('PATCH alone takes a merge patch, and 415 says what it takes', async () => {
    const { id } = await addOrder(service);
    const headers = { 'content-type': 'text/plain' };
    const refused = await service.patch(`/v1/store/orders/${id}`, {}, { headers });
    const message = 'Send the body in UTF-8, with one Content-Type: application/json or application/merge-patch+json.';
    expectError(refused, 'unsupported_media_type', message);
    expect(refused.headers['accept-patch']).toBe(BOTH);
    const mergePatch = { headers: { 'content-type': 'application/merge-patch+json' } };
    expect((await service.patch(`/v1/store/orders/${id}`, {}, mergePatch)).status).toBe(200);
    expectError(await service.post('/v1/store/orders', {}, mergePatch), 'unsupported_media_type');
  });
});

describeInside('Requests from other origins', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ corsOrigins: [ORIGIN] });
  });
  afterAll(() => service.stop());

  it('may have the methods of their path, and all headers', async () => {
    const preflight = await service.call('OPTIONS', '/v1/store/orders/1', { headers: PREFLIGHT });
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({
      allow: 'DELETE, GET, HEAD, OPTIONS, PATCH',
      vary: 'Origin',
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-methods': expect.stringMatching(/^DELETE, GET, HEAD, (OPTIONS, )?PATCH$/),
      // The asterisk does not cover Authorization.
      'access-control-allow-headers': 'Authorization, *',
      'access-control-expose-headers': '*',
    });
  });

  it.each(['/v1/pets', '/v1/.nothing', `/v1/${'x'.repeat(9_000)}`])('can read refusals too: %.20s', async (path) => {
    const answer = await service.call('GET', path, { headers: { origin: ORIGIN } });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': ORIGIN, vary: 'Origin' });
  });

  it('get no permission unless the origin is listed', async () => {
    for (const origin of ['https://evil.example.org', 'http://app.example.org', 'null']) {
      const { headers } = await service.call('GET', '/v1/pets', { headers: { origin } });
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect(headers['vary']).toBe('Origin');
    }
  });

  it('get none at all by default', async () => {
    const closed = await startService();
    const { headers } = await closed.call('OPTIONS', '/v1/pets', { headers: PREFLIGHT });
    await closed.stop();
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });
});
