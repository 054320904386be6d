import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { ParameterObject } from '../../src/api/document/openapi-types.js';
import { expectError } from './support/expectations.js';
import { type Service, startService } from './support/service.js';

const PAGES = ['/docs', '/docs/guide'];
const SHARED = [...PAGES, '/docs/swagger-ui.css', '/openapi.json', '/openapi.yaml'];

describe('The page at /docs', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it.each(PAGES)('needs no key, and refers only to this service: %s', async (path) => {
    const page = await service.call('GET', path);
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    const assets = [...page.text.matchAll(/(?:src|href)=['"]([^'"]+)['"]/g)].map(([, url]) => url!);
    expect(assets.length).toBeGreaterThan(3);
    for (const asset of assets) {
      const { origin, pathname } = new URL(asset, `${service.origin}${path}`);
      expect(origin).toBe(service.origin);
      expect({ asset, status: (await service.call('GET', pathname)).status }).toEqual({ asset, status: 200 });
    }
    expect(page.text).not.toMatch(/\{(?:root|title)\}/);
  });

  it('is also at /docs/', async () => {
    const [page, same] = [await service.call('GET', '/docs'), await service.call('GET', '/docs/')];
    expect(same.text).toBe(page.text);
  });

  it('has the guide for callers beside it, with an id for every link into it', async () => {
    const { text } = await service.call('GET', '/docs/guide');
    expect(text).toContain('<h1 id="guide-for-callers">');
    expect((await service.call('GET', '/docs')).text).toContain('href="/docs/guide"');
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);
    expect(ids).toEqual([...new Set(ids)]);
    const { link } = (await service.get('/v1/pets/1')).headers;
    const linked = [...`${text}${String(link)}`.matchAll(/(?:"|\/docs\/guide)#([^">]+)/g)].map(
      ([, id]) => id!,
    );
    expect(linked).toEqual(expect.arrayContaining(['retries', 'the-end-of-getpet']));
    expect(linked.at(-1)).toBe('the-end-of-getpet'); // of rel="deprecation"
    expect(linked.filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('gets a document with no value that would be sent unasked', async () => {
    const { text } = await service.call('GET', '/docs/document.json');
    const document = JSON.parse(text) as OpenAPIObject;
    const parameters = Object.values(document.paths).flatMap(({ get, post, patch, delete: remove }) =>
      [get, post, patch, remove].flatMap((operation) => (operation?.parameters ?? []) as ParameterObject[]),
    );
    const optional = parameters.filter(({ required }) => !required);
    expect(optional.map(({ name }) => name)).toContain('Idempotency-Key');
    for (const { schema } of optional) expect(schema).not.toHaveProperty('example');
    expect(parameters.find(({ name }) => name === 'petId')?.schema).toHaveProperty('example');
  });

  it('transfers less than half a megabyte to a browser, without the document, which grows with the features', async () => {
    const { text } = await service.call('GET', '/docs');
    const assets = [...text.matchAll(/(?:src|href)=['"]([^'"]+)['"]/g)].map(([, url]) => url!);
    let bytes = 0;
    for (const path of ['/docs', ...assets, '/docs/document.json']) {
      const { headers } = await service.call('GET', path, { headers: { 'accept-encoding': 'gzip, br' } });
      expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
      if (!path.endsWith('.json')) bytes += Number(headers['content-length']);
    }
    expect(bytes).toBeGreaterThan(300_000);
    expect(bytes).toBeLessThan(500_000);
  });

  it('gets a document without numbers that JavaScript would round', async () => {
    const { text } = await service.call('GET', '/docs/document.json');
    const numbers = text.replace(/"(?:[^"\\]|\\.)*"/g, '').match(/-?\d+/g) ?? [];
    expect(numbers.length).toBeGreaterThan(0);
    expect(numbers.filter((number) => !Number.isSafeInteger(Number(number)))).toEqual([]);
    expect(text).toContain('From -9223372036854775808 to 9223372036854775807.');
    expect(text).toContain('9007199254740993');
  });

  it('is where / redirects browsers, and only browsers', async () => {
    const browser = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await service.call(method, '/', browser);
      expect({ status, headers }).toMatchObject({
        status: 303,
        headers: { location: '/docs', vary: 'accept' },
      });
    }
    expectError(await service.call('GET', '/'), 'not_found');
    expectError(await service.call('GET', '/', { headers: { accept: 'application/json' } }), 'not_found');
    expectError(await service.call('POST', '/', browser), 'method_not_allowed');
  });

  it('works under the path prefix of PUBLIC_URL', async () => {
    const behind = await startService({ publicUrl: 'https://animals.example.com/store/v1' });
    try {
      const { headers } = await behind.call('GET', '/', { headers: { accept: 'text/html' } });
      expect(headers).toMatchObject({ location: '/store/docs' });
      expect((await behind.call('GET', '/docs')).text).toContain('src="/store/docs/page.js"');
      expect((await behind.call('GET', '/docs/guide')).text).toContain('href="/store/docs/guide.css"');
    } finally {
      await behind.stop();
    }
  });

  it('offers only the deployments that are set', async () => {
    const offeredBy = async ({ call }: Service) => {
      const { text } = await call('GET', '/docs/document.json');
      return (JSON.parse(text) as { servers: { url: string }[] }).servers.map(({ url }) => url);
    };
    expect(await offeredBy(service)).toEqual(['/v1']);
    const withStaging = await startService({ stagingUrl: 'https://staging.example.org/v1' });
    try {
      expect(await offeredBy(withStaging)).toEqual(['/v1', '{staging_base_url}']);
      const { headers } = await withStaging.call('GET', '/docs');
      expect(headers['content-security-policy']).toContain("connect-src 'self' https://staging.example.org;");
    } finally {
      await withStaging.stop();
    }
  });

  it.each([
    ['support@example.org', { email: 'support@example.org' }],
    ['https://help.example.org/animals', { url: 'https://help.example.org/animals' }],
  ])('and the document name the contact that is set: %s', async (contact, expected) => {
    const named = await startService({ contact });
    try {
      for (const path of ['/docs/document.json', '/openapi.json']) {
        const { info } = JSON.parse((await named.call('GET', path)).text) as { info: object };
        expect(info).toMatchObject({ contact: { name: 'Whoever issued your API key', ...expected } });
      }
    } finally {
      await named.stop();
    }
  });

  it.each(['/docs/', ...SHARED])('is read-only: %s', async (path) => {
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const answer = await service.call(method, path);
      expectError(answer, 'method_not_allowed');
      expect(answer.headers).toMatchObject({ allow: 'GET, HEAD, OPTIONS' });
    }
  });

  it.each(PAGES)('runs only its own scripts and cannot be framed: %s', async (path) => {
    const page = await service.call('GET', path);
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
      'connect-src': ["'self'"],
      'form-action': ["'none'"],
      'base-uri': ["'none'"],
      'frame-ancestors': ["'none'"],
    });
    // The page contains nothing that the policy would block.
    expect(page.text).not.toMatch(/<script>|<script(?![^>]*\ssrc=)|\son\w+=/);
  });

  it.each(SHARED)('is compressed for clients that take it: %s', async (path) => {
    const plain = await service.call('GET', path);
    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect(plain.headers).toMatchObject({ 'cache-control': 'no-cache', vary: 'accept-encoding' });
    expect(await (await fetch(`${service.origin}${path}`)).text()).toBe(plain.text);
    const refusals = [
      '|br|identity|gzip;q=0|gzip ; Q=0.000|gzip;q=0.0, br;q=1|gzip;q=0, *|*;q=0|x-gzip;q=0|identity;q=0|gzip br|gzippy',
      'identity, gzip;q=0.5|*, gzip;q=0.5|gzip;q=2|gzip;q=-1|gzip;q|gzip;level=1|gzip;q=0.5;q=0',
    ].flatMap((list) => list.split('|'));
    for (const refusal of refusals) {
      const answer = await service.call('GET', path, { headers: { 'accept-encoding': refusal } });
      expect([refusal, answer.text]).toEqual([refusal, plain.text]);
    }
  });

  const ACCEPTED = [
    'gzip|GZIP|x-gzip|X-Gzip;q=0.001|gzip ;\tq=1.000|br;q=1,gzip;q=0.5|,, gzip ,',
    '*|*;q=0.1|identity;q=0, *|*;q=0, gzip|gzip;q=0.5, identity;q=0.5|deflate, *;q=0.5',
  ];
  it.each(ACCEPTED.flatMap((list) => list.split('|')))(
    'is compressed for Accept-Encoding: %s',
    async (accepted) => {
      const { headers } = await service.call('GET', '/docs', { headers: { 'accept-encoding': accepted } });
      expect(headers['content-encoding']).toBe('gzip');
    },
  );

  it('reads the first 20 items of a list only', async () => {
    const get = (headers: Record<string, string>) => service.call('GET', '/docs', { headers });
    const encoded = await get({ 'accept-encoding': `${'br,'.repeat(19)}gzip` });
    expect(encoded.headers['content-encoding']).toBe('gzip');
    const etag = String(encoded.headers['etag']).replace('-gzip', '');
    expect((await get({ 'accept-encoding': `${'br,'.repeat(20)}gzip` })).headers['etag']).toBe(etag);
    expect((await get({ 'if-none-match': `${'"a",'.repeat(19)}${etag}` })).status).toBe(304);
    expect((await get({ 'if-none-match': `${'"a",'.repeat(20)}${etag}` })).status).toBe(200);
  });

  it('is compressed when one of several Accept-Encoding headers takes it', async () => {
    const headers = { 'accept-encoding': ['br', 'gzip'] as unknown as string };
    expect((await service.call('GET', '/docs', { headers })).headers['content-encoding']).toBe('gzip');
  });

  it.each(SHARED)('is revalidated with one tag for each encoding: %s', async (path) => {
    const get = (headers: Record<string, string>) => service.call('GET', path, { headers });
    const plain = String((await get({})).headers['etag']);
    const gzip = String((await get({ 'accept-encoding': 'gzip' })).headers['etag']);
    expect(gzip).not.toBe(plain);
    for (const tags of [plain, `W/${plain}`, `"other", ${plain}`, '*']) {
      const { status, text, headers } = await get({ 'if-none-match': tags });
      expect({ tags, status, text, etag: headers['etag'] }).toEqual({
        tags,
        status: 304,
        text: '',
        etag: plain,
      });
    }
    for (const tags of [gzip, '"other"', plain.slice(1, -1), '']) {
      expect({ tags, status: (await get({ 'if-none-match': tags })).status }).toEqual({
        tags,
        status: 200,
      });
    }
    const both = { 'accept-encoding': 'gzip', 'if-none-match': gzip };
    expect((await get(both)).status).toBe(304);
  });

  it('serves no other file of the package', async () => {
    for (const name of [
      'package.json',
      'absolute-path.js',
      'swagger-ui.js.map',
      '%2e%2e/package.json',
      '__proto__',
      'guide.html',
      'guide/',
      'guides',
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

  it.each(['/v1/pets', '/v1/.nothing', '/health/live', '/openapi.json', '/%zz'])(
    'has security headers that mark it as data: %s',
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
