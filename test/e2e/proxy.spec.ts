import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateKey } from '../../src/auth/key-format.js';
import { readCases } from './hostile/cases.js';
import { deployment } from './support/deployment.js';
import { freePort } from './support/free-port.js';
import { haproxyVersion, type Proxy, startProxy } from './support/proxy.js';
import { type Service, startService } from './support/service.js';
import { parseRaw, sendRaw } from './support/socket.js';

const describeProxy = haproxyVersion > 0 && !deployment ? describe : describe.skip;

const get = (path: string, ...headers: string[]): string =>
  [`GET ${path} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers, '', ''].join('\r\n');
const post = (length: number, body: string, ...headers: string[]): string =>
  ['POST /v1/pets HTTP/1.1', 'Host: x', 'Connection: close', ...headers, 'Content-Type: application/json']
    .concat(`Content-Length: ${length}`, '', body)
    .join('\r\n');

function expectError(raw: string, status: number, code: string): Record<string, string> {
  const { headers, body, ...answer } = parseRaw(raw);
  expect([answer.status, JSON.parse(body)]).toEqual([status, { code, message: expect.any(String), status }]);
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status >= 500 && { 'retry-after': '1' }),
  });
  return headers;
}

describeProxy('The proxy (needs haproxy)', () => {
  let service: Service;
  let proxy: Proxy;
  let key: string;
  beforeAll(async () => {
    service = await startService({ rateLimitFailures: 1, trustedProxies: ['127.0.0.1'] });
    proxy = await startProxy(service.origin);
    key = `Authorization: Bearer ${service.key}`;
  });
  afterAll(async () => {
    await proxy.stop();
    await service.stop();
  });

  const send = (text: string, from?: string): Promise<string> => sendRaw(proxy.origin, text, from);

  it('lets the largest request through that the service takes', async () => {
    const body = '{"name":"x","categoryId":1'.padEnd(16_383) + '}';
    const raw = await send(post(16_384, body, key, `X-Filler: ${'x'.repeat(15_500)}`));
    expect(parseRaw(raw).status).toBe(201);
  });

  it.each([
    [413, 'payload_too_large', () => post(16_385, ' '.repeat(16_385), key)],
    [413, 'payload_too_large', () => post(70_000, ' '.repeat(70_000), key)],
    [414, 'uri_too_long', () => get(`/v1/pets?${'x'.repeat(9_000)}`)],
    [414, 'uri_too_long', () => get(`/v1/pets?${'x'.repeat(20_000)}`)],
    [431, 'headers_too_large', () => get('/v1/pets', `X-Filler: ${'x'.repeat(30_000)}`)],
    [431, 'headers_too_large', () => get('/v1/pets', `X-Filler: ${'x'.repeat(40_000)}`)],
  ])('refuses with %d %s what is larger, or lets the service do so', async (status, code, text) => {
    expectError(await send(text()), status, code);
  });

  it('refuses a body that does not come, with 408, and the service never sees it', async () => {
    service.log.length = 0;
    const raw = await send(post(100, '{', key, 'X-Request-Id: slow'));
    expect(expectError(raw, 408, 'request_timeout')['x-request-id']).toBe('slow');
    expect(service.log.join('')).not.toContain('slow');
    await proxy.logs(/ 408 .* POST slow\n/);
  });

  it('names requests, and tells the service who sends them, whatever they claim', async () => {
    const id = async (...given: string[]) => parseRaw(await send(get('/v1/pets', ...given))).headers['x-request-id'];
    expect(await id('X-Request-Id: of-the.client_1')).toBe('of-the.client_1');
    expect(await id('X-Request-Id: a', 'X-Request-Id: b')).toMatch(/^[\da-f-]{36}$/);
    const unknown = `Authorization: Bearer ${generateKey('test')}`;
    const attempt = async (forged: string, from: string) =>
      parseRaw(await send(get('/v1/pets', unknown, `X-Forwarded-For: ${forged}`), from)).status;
    expect(await attempt('192.0.2.1', '127.0.0.2')).toBe(401);
    expect(await attempt('192.0.2.2', '127.0.0.2')).toBe(429);
    expect(await attempt('192.0.2.2', '127.0.0.3')).toBe(401);
  });

  it('answers 503 when no replica is there, and limits requests and connections of an address', async () => {
    const settings = { HAPROXY_ADDRESS_REQUESTS: '5', HAPROXY_ADDRESS_CONNECTIONS: '10' };
    const alone = await startProxy(undefined, settings);
    const ask = (path = '/v1/pets', from = '127.0.0.1') => sendRaw(alone.origin, get(path), from);
    for (const path of ['/v1/pets', '/docs']) expectError(await ask(path), 503, 'service_unavailable');
    for (let i = 0; i < 3; i++) await ask();
    expect(expectError(await ask(), 429, 'rate_limited')['retry-after']).toBe('10');
    expectError(await ask('/v1/pets', '127.0.0.2'), 503, 'service_unavailable');
    const { port } = new URL(alone.origin);
    const options = { port: Number(port), host: '127.0.0.1', localAddress: '127.0.0.4' };
    const sockets = Array.from({ length: 14 }, () => connect(options).resume());
    const closed = sockets.map((socket) => {
      return new Promise((resolve) => socket.on('error', () => {}).on('close', () => resolve(socket.bytesRead)));
    });
    // Which of them is refused, is a matter of HAProxy's threads. One that only times out gets an answer.
    expect(await Promise.any(closed)).toBe(0);
    expectError(await ask('/v1/pets', '127.0.0.5'), 503, 'service_unavailable');
    for (const socket of sockets) socket.destroy();
    await alone.stop();
  });

  it('passes no request on that is hidden in another one, and says that an answer was lost', async () => {
    const targets: string[] = [];
    const replica = createServer({ insecureHTTPParser: true }, ({ url = '', socket }, response) => {
      targets.push(url);
      if (url === '/v1/dropped') socket.destroy();
      else response.end('{}');
    }).listen(0, '127.0.0.1');
    await once(replica.unref(), 'listening');
    const front = await startProxy(`http://127.0.0.1:${(replica.address() as AddressInfo).port}`);
    const keys = { key: 'x', expired: 'x', revoked: 'x', other: 'x', unknown: 'x' };
    const hidden = readCases('framing', keys).filter(({ request: text }) => text.includes('smuggled'));
    expect(hidden.length).toBeGreaterThan(2);
    const closing = hidden.map(({ request: text }) => text.replace('Host: x', 'Host: x\r\nConnection: close'));
    await Promise.all(closing.map((text) => sendRaw(front.origin, text)));
    expectError(await sendRaw(front.origin, get('/v1/dropped')), 502, 'service_unavailable');
    expect(targets.filter((target) => target.includes('smuggled'))).toEqual([]);
    await front.stop();
    replica.closeAllConnections();
    replica.close();
  });

  it('with a certificate serves the interface over HTTPS only, and leads browsers there', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'proxy-spec-'));
    const file = join(folder, 'certificate.pem');
    const options = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=localhost';
    const names = ['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', file, '-out', `${file}.crt`];
    execFileSync('openssl', [...options.split(' '), ...names], { stdio: 'ignore' });
    execFileSync('sh', ['-c', 'cat "$1.crt" >> "$1"', 'sh', file]);
    const port = await freePort();
    const secure = await startProxy(service.origin, {
      HAPROXY_HTTPS: `127.0.0.1:${port}`,
      HAPROXY_CERTIFICATE: file,
      HAPROXY_ORIGIN: 'https://pets.example.com',
    });
    const ca = readFileSync(`${file}.crt`);
    const headers = { authorization: `Bearer ${service.key}`, connection: 'close' };
    const call = request({ host: '127.0.0.1', port, path: '/v1/pets?limit=1', ca, headers }).end();
    const [{ statusCode, headers: got }] = (await once(call, 'response')) as [IncomingMessage];
    expect([statusCode, got['strict-transport-security']]).toEqual([200, 'max-age=31536000']);
    const plain = (path: string) => sendRaw(secure.origin, get(path));
    for (const path of ['/v1/pets', '/%76%31/pets']) expectError(await plain(path), 400, 'bad_request');
    const { status, headers: led } = parseRaw(await plain('/docs?x=1'));
    expect([status, led['location']]).toEqual([308, 'https://pets.example.com/docs?x=1']);
    await secure.stop();
    rmSync(folder, { recursive: true });
  });
});
