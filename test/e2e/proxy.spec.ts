import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ErrorCode, ERRORS } from '../../src/api/errors/error-catalogue.js';
import { SECURITY_HEADERS } from '../../src/edge/security-headers.js';
import { describeProxy, type Proxy, requireHaproxy, startMuteReplica, startProxy } from './support/proxy.js';
import { type Service, startService } from './support/service.js';
import { parseRaw, sendRaw } from './support/socket.js';

const BODY_BYTES = 16_384;
const DOCUMENTS_PER_ADDRESS = 256;

describeProxy('The proxy (needs HAProxy)', () => {
  const get = (path: string, ...headers: string[]): string =>
    ['GET ' + path + ' HTTP/1.1', 'Host: x', 'Connection: close', ...headers, '', ''].join('\r\n');
  const post = (path: string, length: number, body: string, ...headers: string[]): string =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n${body}`;

  const expectError = (raw: string, status: number, code: ErrorCode): Record<string, string> => {
    const answer = parseRaw(raw);
    expect({ status: answer.status, body: JSON.parse(answer.body) as unknown }).toEqual({
      status,
      body: { code, message: expect.any(String), status },
    });
    expect(answer.headers).toMatchObject({
      ...SECURITY_HEADERS,
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(answer.body)),
      'cache-control': 'no-store',
    });
    return answer.headers;
  };

  describe('in front of the service', () => {
    let service: Service;
    let proxy: Proxy;
    beforeAll(async () => {
      service = await startService();
      proxy = await startProxy(service.origin);
    });
    afterAll(async () => {
      await proxy.stop();
      await service.stop();
    });
    const send = (text: string): Promise<string> => sendRaw(proxy.origin, text);
    const authorization = (): string => `Authorization: Bearer ${service.key}`;

    it('lets a request through that is as large as the service takes', async () => {
      const pet = `{"name":"x","categoryId":1`;
      const body = pet.padEnd(BODY_BYTES - 1) + '}';
      const raw = await send(
        post('/v1/pets', BODY_BYTES, body, authorization(), `X-Filler: ${'x'.repeat(15_500)}`),
      );
      expect(parseRaw(raw).status).toBe(201);
      expect(parseRaw(await send(get(`/v1/pets?limit=1`, authorization()))).status).toBe(200);
    });

    it.each<[ErrorCode, () => string]>([
      ['uri_too_long', () => get(`/v1/pets?${'x'.repeat(9_000)}`)],
      ['headers_too_large', () => get('/v1/pets', `X-Filler: ${'x'.repeat(40_000)}`)],
      ['payload_too_large', () => post('/v1/pets', 50_000, ' '.repeat(50_000), authorization())],
    ])('lets the service refuse what is larger, with %s', async (code, text) => {
      expectErrorOfService(await send(text()), code);
    });

    it('gives the service the id of a request, and makes one for a request without', async () => {
      const id = async (...given: string[]): Promise<string | undefined> =>
        parseRaw(await send(get('/v1/pets', ...given))).headers['x-request-id'];
      expect(await id('X-Request-Id: of-the.client_1')).toBe('of-the.client_1');
      expect(await id('X-Request-Id: a,b')).toMatch(/^[\da-f-]{36}$/);
      expect(await id('X-Request-Id: a', 'X-Request-Id: b')).toMatch(/^[\da-f-]{36}$/);
      expect(await id()).toMatch(/^[\da-f-]{36}$/);
    });

    it('refuses a body that does not come, with 408', async () => {
      const raw = await send(post('/v1/pets', 100, '{', authorization(), 'X-Request-Id: slow'));
      expect(expectError(raw, 408, 'request_timeout')['x-request-id']).toBe('slow');
    });

    it('does not speak HTTP/2, whose connections carry many requests at a time', async () => {
      expect(await send('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')).toMatch(/^HTTP\/1\.[01] 400 /);
    });

    // HAProxy before 3.2 answers malformed requests with its own text.
    it('answers malformed HTTP with an Error', async () => {
      requireHaproxy(3.2);
      expectError(await send(get('/v1/pets', 'no header')), 400, 'bad_request');
    });

    it('answers headers that do not come with an Error', async () => {
      requireHaproxy(3.2);
      expectError(await send('GET /v1/pets HTTP/1.1\r\nHost: x\r\n'), 408, 'request_timeout');
    });

    const expectErrorOfService = (raw: string, code: ErrorCode): void => {
      const { status, body } = parseRaw(raw);
      expect({ status, code: (JSON.parse(body) as { code: string }).code }).toEqual({
        status: ERRORS[code].status,
        code,
      });
    };
  });

  it.each(['/v1/pets', '/docs/'])('answers 503 for %s when no replica is there', async (path) => {
    const proxy = await startProxy();
    try {
      const headers = expectError(await sendRaw(proxy.origin, get(path)), 503, 'service_unavailable');
      expect(headers).toMatchObject({
        'retry-after': '1',
        'x-request-id': expect.stringMatching(/^[\da-f-]{36}$/),
      });
    } finally {
      await proxy.stop();
    }
  });

  describe('in front of a replica that does not answer', () => {
    let replica: Awaited<ReturnType<typeof startMuteReplica>>;
    let proxy: Proxy;
    beforeAll(async () => {
      replica = await startMuteReplica();
      proxy = await startProxy(replica.origin);
    });
    afterAll(async () => {
      await proxy.stop();
      await replica.stop();
    });

    it('answers 502 where the connection was lost', async () => {
      const raw = await sendRaw(proxy.origin, post('/v1/dropped', 2, '{}', 'X-Request-Id: lost'));
      expect(expectError(raw, 502, 'service_unavailable')).toMatchObject({
        'retry-after': '1',
        'x-request-id': 'lost',
      });
    });

    it('answers 504 in time, and at once 429 to an address that asks for too many documents', async () => {
      const held = sendRaw(proxy.origin, get('/v1/held'));
      const asked = Array.from({ length: DOCUMENTS_PER_ADDRESS + 1 }, () =>
        sendRaw(proxy.origin, get('/held')),
      );
      const first = await Promise.race(asked);
      expect(expectError(first, 429, 'rate_limited')).toMatchObject({ 'retry-after': '1' });
      expect(expectError(await held, 504, 'service_unavailable')).toMatchObject({ 'retry-after': '1' });
      const others = (await Promise.all(asked)).filter((answer) => answer !== first);
      for (const answer of others) expectError(answer, 504, 'service_unavailable');
    });
  });
});
