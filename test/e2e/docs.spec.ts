import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allErrors } from '../../src/api/errors.js';
import type { Config } from '../../src/common/config.js';
import { describeInside } from './support/deployment.js';
import { expectError } from './support/expectations.js';
import { type Service, startService } from './support/service.js';

const PAGES = ['/docs', '/docs/', '/docs/guide'];
const SHARED = [...PAGES, '/docs/swagger-ui.css', '/openapi.json', '/openapi.yaml'];
const [ONE, TWO] = ['https://one.example.org', 'https://two.example.org'];
const BROWSER = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };

interface FileRequest {
  /** `201: add an animal`, or `400 invalid_json: …`. */
  readonly title: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

describe('The page at /docs', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  const assetsOf = (html: string) => [...html.matchAll(/(?:src|href)=['"]([^'"#]+)[^'"]*['"]/g)].map(([, url]) => url!);

  it.each(PAGES)(
    'needs no key, runs and refers only to what is of this service, and cannot be framed: %s',
    async (path) => {
      const page = await service.call('GET', path);
      expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(page.text).toMatch(/<title>.*Animal Store Service.*<\/title>/);
      expect(page.text).not.toMatch(/\{(title|root)\}/);
      expect(assetsOf(page.text).length).toBeGreaterThan(3);
      for (const asset of assetsOf(page.text)) {
        const { origin, pathname } = new URL(asset, `${service.origin}${path}`);
        expect(origin).toBe(service.origin);
        expect({ asset, status: (await service.call('GET', pathname)).status }).toEqual({ asset, status: 200 });
      }
      expect(page.headers).toMatchObject({
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
          "connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
      // The page contains nothing that the policy would block.
      expect(page.text).not.toMatch(/<script>|<script(?![^>]*\ssrc=)|\son\w+=/);
    },
  );

  it('has a heading in the guide for every link into it, that of rel="deprecation" included', async () => {
    const { text } = await service.call('GET', '/docs/guide');
    const ids = [...text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!);
    expect(ids).toEqual([...new Set(ids)]);
    const { link } = (await service.get('/v1/pets/1')).headers;
    const linked = [...`${text}${String(link)}`.matchAll(/(?:"|\/docs\/guide)#([^">]+)/g)];
    const targets = linked.map(([, id]) => id!);
    expect(targets).toEqual(expect.arrayContaining(['retries', 'the-end-of-getpet']));
    expect(targets.filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('gets a document that a browser does not round, and with no value that would be sent unasked', async () => {
    const { text } = await service.call('GET', '/docs/document.json');
    const numbers = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').match(/-?\d+/g) ?? [];
    expect(numbers.filter((number) => !Number.isSafeInteger(Number(number)))).toEqual([]);
    expect(text).toContain('From -9223372036854775808 to 9223372036854775807.');
    expect(text).not.toMatch(/"name":"Idempotency-Key"[^}]*"example":/);
  });

  it('is where / leads browsers, and only browsers', async () => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await service.call(method, '/', BROWSER);
      expect({ status, headers }).toMatchObject({ status: 303, headers: { location: '/docs', vary: 'accept' } });
    }
    expectError(await service.call('GET', '/'), 'not_found');
    expectError(await service.call('POST', '/', BROWSER), 'method_not_allowed');
  });

  it('serves no other file', async () => {
    const names = ['package.json', 'swagger-ui.js.map', '%2e%2e/package.json', '__proto__', 'guide.html', 'x'];
    for (const name of names) expectError(await service.call('GET', `/docs/${name}`), 'not_found');
  });

  it.each(SHARED)('is compressed for clients that take it, and revalidated: %s', async (path) => {
    const get = (headers: Record<string, string> = {}) => service.call('GET', path, { headers });
    const plain = await get();
    const common = { 'cache-control': 'no-cache', vary: 'accept-encoding, origin' };
    expect(plain.headers).toMatchObject({ ...common, etag: expect.any(String) });
    expect(plain.headers).not.toHaveProperty('content-encoding');
    expect(await (await fetch(`${service.origin}${path}`)).text()).toBe(plain.text);
    const gzip = await get({ 'accept-encoding': 'br, GZIP;q=0.5' });
    expect(gzip.headers).toMatchObject({ ...common, 'content-encoding': 'gzip' });
    expect(gzip.headers['etag']).not.toBe(plain.headers['etag']);
    for (const refusing of ['gzip;q=0', 'gzip; q=0.00, br'])
      expect((await get({ 'accept-encoding': refusing })).headers['etag']).toBe(plain.headers['etag']);
    for (const known of [`"other", ${String(plain.headers['etag'])}`, '*']) {
      const again = await get({ 'if-none-match': known });
      expect({ status: again.status, text: again.text }).toEqual({ status: 304, text: '' });
      expect(again.headers).toMatchObject({ ...common, etag: plain.headers['etag'] });
    }
    expect((await get({ 'if-none-match': '"other"' })).status).toBe(200);
  });

  describeInside('of a deployment with settings', () => {
    const withSettings = async (settings: Partial<Config>, use: (own: Service) => Promise<void>) => {
      const own = await startService(settings, undefined, [], service);
      await use(own).finally(() => own.stop());
    };
    const documentOf = async (own: Service) =>
      JSON.parse((await own.call('GET', '/docs/document.json')).text) as { servers: { url: string }[]; info: object };

    it('works below the path of PUBLIC_URL', () =>
      withSettings({ publicUrl: 'https://animals.example.com/store/v1', contact: TWO }, async (own) => {
        const document = (await own.call('GET', '/openapi.json')).text;
        expect(document).toContain(`"url": "${TWO}"`);
        expect(document).not.toContain('(/docs/guide');
        expect((await own.call('GET', '/', BROWSER)).headers['location']).toBe('/store/docs');
        const { text, headers } = await own.call('GET', '/docs');
        expect(text).toContain('src="/store/docs/page.js"');
        expect(headers['content-security-policy']).toContain("connect-src 'self' https://animals.example.com;");
        expect((await own.call('GET', '/docs/guide')).text).toContain('href="/store/docs/guide.css"');
      }));

    it('offers the deployments that are set, and names the contact', () =>
      withSettings(
        { productionUrl: `${ONE}/v1`, stagingUrl: `${TWO}/v1`, contact: 'help@example.org' },
        async (own) => {
          expect((await documentOf(service)).servers.map(({ url }) => url)).toEqual(['/v1']);
          const { servers, info } = await documentOf(own);
          expect(servers.map(({ url }) => url)).toEqual(['/v1', `${ONE}/v1`, `${TWO}/v1`]);
          expect(info).toMatchObject({ contact: { email: 'help@example.org' } });
          const { headers } = await own.call('GET', '/docs');
          expect(headers['content-security-policy']).toContain(`connect-src 'self' ${ONE} ${TWO};`);
        },
      ));
  });
});

describeInside('The file', () => {
  let service: Service;
  let requests: FileRequest[];
  beforeAll(async () => {
    service = await startService();
    requests = readRequests(read('docs/pets.http'), { origin: '', apiKey: service.key });
  });
  afterAll(() => service.stop());

  const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

  it('openapi.json is the document that is served: npm run openapi', async () => {
    expect((await service.call('GET', '/openapi.json')).text).toBe(read('openapi.json'));
  });

  it('docs/guide.md says of each error what to do: npm run guide', () => {
    const errors = allErrors().map(({ code, status, advice }) => `- \`${code}\` (${status}): ${advice}`);
    expect(read('docs/guide.md')).toContain(errors.join('\n'));
  });

  it('docs/pets.http gets the answer that the title of each request promises', async () => {
    const answered: string[] = [];
    for (const { method, path, headers, body } of requests) {
      const answer = await service.call(method, path, { headers, ...(body !== undefined && { body }) });
      const code = answer.status < 400 ? '' : ` ${(answer.json as { code: string }).code}`;
      answered.push(`${answer.status}${code}`);
    }
    expect(answered).toEqual(requests.map(({ title }) => title.split(':', 1)[0]));
  });
});

/** The requests of a file, with its variables filled in. */
function readRequests(text: string, given: Record<string, string>): FileRequest[] {
  const [preamble = '', ...blocks] = text.split(/^### /m);
  const variables = new Map<string, string>();
  const filled = (part: string): string =>
    part.replaceAll(/\{\{(\w+)\}\}/g, (whole, name: string) => variables.get(name) ?? whole);
  for (const [, name = '', value = ''] of preamble.matchAll(/^@(\w+) = (.+)$/gm))
    variables.set(name, given[name] ?? filled(value));
  return blocks.map((block) => {
    const [head = '', ...rest] = filled(block).split('\n\n');
    const [title = '', request = '', ...lines] = head.trim().split('\n');
    const [method = '', path = ''] = request.split(' ');
    const headers = Object.fromEntries(lines.map((line) => line.split(': ', 2) as [string, string]));
    return { title, method, path, headers, body: rest.join('\n\n').trim() || undefined };
  });
}
