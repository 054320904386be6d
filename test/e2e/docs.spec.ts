import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectError } from './support/expectations.js';
import { type Service, startService } from './support/service.js';

describe('The docs', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it('come without a key, from this service alone', async () => {
    const page = await service.call('GET', '/docs');
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    const assets = [...page.text.matchAll(/(?:src|href)=['"]([^'"]+)['"]/g)].map(([, url]) => url!);
    expect(assets.length).toBeGreaterThan(3);
    for (const asset of assets) {
      const { origin, pathname } = new URL(asset, `${service.origin}/docs`);
      expect(origin).toBe(service.origin);
      expect({ asset, status: (await service.call('GET', pathname)).status }).toEqual({ asset, status: 200 });
    }
    const script = await service.call('GET', '/docs/swagger-ui-init.js');
    expect(script.text).toContain('"url": "/openapi.json"');
  });

  it('are a page that runs nothing but its own scripts, and that nobody can frame', async () => {
    const page = await service.call('GET', '/docs');
    expect(page.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
    const policy = new Map(
      String(page.headers['content-security-policy'])
        .split('; ')
        .map((directive): [string, string[]] => {
          const [name, ...sources] = directive.split(' ');
          return [name!, sources];
        }),
    );
    expect(Object.fromEntries(policy)).toEqual({
      'default-src': ["'none'"],
      'script-src': ["'self'"],
      'style-src': ["'self'", "'unsafe-inline'"],
      'img-src': ["'self'", 'data:'],
      'connect-src': ["'self'", 'https://api.example.com', 'https://staging.example.com'],
      'form-action': ["'none'"],
      'base-uri': ["'none'"],
      'frame-ancestors': ["'none'"],
    });
    // What the policy would not let run is not there either.
    expect(page.text).not.toMatch(/<script>|<script(?![^>]*\ssrc=)|\son\w+=/);
  });

  it('send an asset again only when it has changed, and nothing else of their folder', async () => {
    const first = await service.call('GET', '/docs/swagger-ui.css');
    const { etag } = first.headers;
    const again = await service.call('GET', '/docs/swagger-ui.css', {
      headers: { 'if-none-match': String(etag) },
    });
    expect(first.headers).toMatchObject({
      'cache-control': 'no-cache',
      'content-type': 'text/css; charset=utf-8',
    });
    expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: '' });
    for (const name of [
      'package.json',
      'absolute-path.js',
      'swagger-ui.js.map',
      '%2e%2e/package.json',
      '__proto__',
    ]) {
      expectError(await service.call('GET', `/docs/${name}`), 'not_found');
    }
  });
});

describe('Every answer', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it.each(['/v1/pets', '/v1/nothing', '/health/live', '/openapi.json', '/%zz'])(
    'tells browsers that it is data: %s',
    async (path) => {
      for (const answer of [await service.call('GET', path), await service.get(path)]) {
        expect(answer.headers).toMatchObject({
          'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
          'x-content-type-options': 'nosniff',
          'referrer-policy': 'no-referrer',
        });
      }
    },
  );
});
