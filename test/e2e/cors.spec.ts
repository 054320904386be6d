import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeInside } from './support/deployment.js';
import { type Service, startService } from './support/service.js';

const ORIGIN = 'https://app.example.org';
const PREFLIGHT = { origin: ORIGIN, 'access-control-request-method': 'POST' };

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
