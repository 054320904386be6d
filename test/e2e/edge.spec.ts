import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ErrorCode, ERRORS } from '../../src/api/errors/error-catalogue.js';
import { generateKey } from '../../src/auth/key-format.js';
import { KeysService } from '../../src/auth/keys.service.js';
import { expectError } from './support/expectations.js';
import { type Service, startService } from './support/service.js';
import { parseRaw, sendRaw } from './support/socket.js';

describe('The edge', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  const expectRaw = (raw: string, code: ErrorCode): void => {
    const { status, headers, body } = parseRaw(raw);
    expect({ status, body: JSON.parse(body) as unknown }).toEqual({
      status: ERRORS[code].status,
      body: { code, message: expect.any(String), status: ERRORS[code].status },
    });
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'x-request-id': expect.stringMatching(/^[A-Za-z0-9._-]{1,128}$/),
    });
  };

  describe('answers malformed and unusual HTTP', () => {
    it.each<[string, string]>([
      ['not HTTP', 'hello\r\n\r\n'],
      ['an unknown method', 'FETCH /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n'],
      ['an unknown version', 'GET /v1/pets HTTP/9.9\r\nHost: x\r\n\r\n'],
      ['a header without a colon', 'GET /v1/pets HTTP/1.1\r\nHost: x\r\nfoo\r\n\r\n'],
      ['a header with a space in its name', 'GET /v1/pets HTTP/1.1\r\nHost: x\r\nfoo : x\r\n\r\n'],
      ['no Host', 'GET /v1/pets HTTP/1.1\r\nConnection: close\r\n\r\n'],
      ['two Hosts', 'GET /v1/pets HTTP/1.1\r\nHost: x\r\nHost: y\r\nConnection: close\r\n\r\n'],
      [
        'two Content-Lengths',
        'POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
      ],
      [
        'Content-Length with chunked encoding',
        'POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      ],
      ['broken percent-encoding', 'GET /v1/pets/%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
      [
        'percent-encoding that is not UTF-8',
        'GET /v1/pets/%ff HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      ],
    ])('with 400 and an Error body: %s', async (_, request) => {
      expectRaw(await sendRaw(service.origin, request), 'bad_request');
    });

    it('with 404 for the target *', async () => {
      expectRaw(
        await sendRaw(service.origin, 'GET * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'),
        'not_found',
      );
    });

    it('with 405 or 404 for CONNECT, which Node.js leaves unanswered by default', async () => {
      const onPets = await sendRaw(service.origin, 'CONNECT /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n');
      expectRaw(onPets, 'method_not_allowed');
      expect(parseRaw(onPets).headers['allow']).toBe('GET, HEAD, OPTIONS, POST');
      expectRaw(
        await sendRaw(service.origin, 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n'),
        'not_found',
      );
    });

    it('CONNECT behind another request, in its turn', async () => {
      const received = await sendRaw(
        service.origin,
        'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\nCONNECT /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n',
      );
      expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 405']);
    });

    it('and survives CONNECT from clients that disconnect at once', async () => {
      const { hostname, port } = new URL(service.origin);
      for (let i = 0; i < 20; i++) {
        await new Promise((resolve) => {
          const socket = connect(Number(port), hostname, () => {
            socket.write('CONNECT / HTTP/1.1\r\nHost: x\r\n\r\n', () => socket.resetAndDestroy());
          });
          socket.on('error', () => {});
          socket.on('close', resolve);
        });
      }
      expect((await service.call('GET', '/health/live')).status).toBe(200);
    });

    it('and closes the connection after refusing a request whose body has not arrived', async () => {
      const head = 'POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{';
      const raw = await sendRaw(service.origin, head);
      expectRaw(raw, 'missing_api_key');
      expect(parseRaw(raw).headers['connection']).toBe('close');
    });

    it.each([
      ['an invalid', '{"name":"Rex"}', 'HTTP/1.1 400 Bad Request'],
      ['a malformed', '{"name":', 'HTTP/1.1 400 Bad Request'],
      ['a valid', '{"name":"Rex","categoryId":1}', 'HTTP/1.1 201 Created'],
    ])('and answers requests pipelined behind %s body', async (_, body, status) => {
      const post = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
      const last = 'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
      const raw = await sendRaw(service.origin, post + post + last);
      expect(raw.match(/HTTP\/1\.1 .*/g)).toEqual([status, status, 'HTTP/1.1 200 OK']);
    });

    it('with 100 Continue only when the request has a valid key', async () => {
      const ask = (headers: string) =>
        sendRaw(
          service.origin,
          `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${headers}Expect: 100-continue\r\nConnection: close\r\n` +
            'Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}',
        );
      expectRaw(await ask(''), 'missing_api_key');
      expect(await ask(`Authorization: Bearer ${service.key}\r\n`)).toMatch(
        /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 Bad Request\r\n/,
      );
    });

    it('and logs it under the request id in the answer', async () => {
      const raw = await sendRaw(service.origin, 'hello\r\n\r\n');
      const id = parseRaw(raw).headers['x-request-id'];
      expect(service.log.map((line) => JSON.parse(line) as object)).toContainEqual(
        expect.objectContaining({ requestId: id, status: 400, code: 'bad_request' }),
      );
    });

    it('and ignores unknown expectations', async () => {
      const request =
        'GET /v1/pets HTTP/1.1\r\nHost: x\r\nExpect: the-unexpected\r\nConnection: close\r\n\r\n';
      expectRaw(await sendRaw(service.origin, request), 'missing_api_key');
    });
  });

  describe('has limits', () => {
    it('of 8192 bytes for the request target', async () => {
      const get = (length: number) => service.get('/v1/pets/'.padEnd(length, '1'));
      expectError(await get(8_192), 'not_found');
      expectError(await get(8_193), 'uri_too_long');
      expectError(await get(9_000), 'uri_too_long');
      expectRaw(
        await sendRaw(service.origin, `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`),
        'uri_too_long',
      );
    });

    it('of time for the headers and for the whole request', async () => {
      const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\nX-Request-Id: slow\r\n`;
      const [headers, body] = await Promise.all([
        sendRaw(service.origin, head),
        sendRaw(service.origin, `${head}Content-Type: application/json\r\nContent-Length: 50\r\n\r\n{`),
      ]);
      expectRaw(headers, 'request_timeout');
      expectRaw(body, 'request_timeout');
      expect(parseRaw(body).headers['x-request-id']).toBe('slow');
    });

    it.each([
      ['OPTIONS', '/v1/pets', 204],
      ['GET', '/health/live', 200],
      ['GET', '/docs', 200],
      ['GET', '/nowhere', 404],
    ])(
      'of no bytes for a body that nobody reads: %s %s closes the connection',
      async (method, path, status) => {
        for (const length of [
          'Content-Length: 10000000\r\n\r\n',
          'Transfer-Encoding: chunked\r\n\r\nfffff\r\n',
        ]) {
          const raw = await sendRaw(service.origin, `${method} ${path} HTTP/1.1\r\nHost: x\r\n${length}xyz`);
          expect(parseRaw(raw)).toMatchObject({ status, headers: { connection: 'close' } });
        }
      },
    );

    it('of 16384 bytes for the headers', async () => {
      const request = `GET /v1/pets HTTP/1.1\r\nHost: x\r\nX-Filler: ${'x'.repeat(17_000)}\r\n\r\n`;
      expectRaw(await sendRaw(service.origin, request), 'headers_too_large');
    });
  });

  describe('answers 404 outside the interface', () => {
    it.each([
      '/v1',
      '/v1/',
      '/pets',
      '/v2/pets',
      '/V1/pets',
      '/v1/Pets',
      '/v1/pets/1/.nothing',
      '/v1/.nothing',
      '/v1/health/live',
      '/metrics',
      '/.env',
    ])('%s', async (path) => {
      for (const answer of [await service.call('GET', path), await service.call('POST', path)]) {
        expectError(answer, 'not_found', 'There is no such resource.');
        if (path.startsWith('/v1')) expect(answer.headers['cache-control']).toBe('no-store');
      }
    });
  });

  it('does not reveal the server software', async () => {
    for (const answer of [await service.get('/v1/pets'), await service.call('GET', '/docs')]) {
      expect(answer.headers).not.toHaveProperty('server');
      expect(answer.headers).not.toHaveProperty('x-powered-by');
    }
  });

  it('refuses two Authorization headers', async () => {
    const header = `Authorization: Bearer ${service.key}\r\n`;
    const request = `GET /v1/pets HTTP/1.1\r\nHost: x\r\n${header}${header}Connection: close\r\n\r\n`;
    expectRaw(await sendRaw(service.origin, request), 'invalid_api_key');
  });

  it('keeps concurrent requests with different keys apart', async () => {
    const keys = service.app.get(KeysService);
    const names = Array.from({ length: 8 }, (_, i) => `client-${i}`);
    const issued = await Promise.all(names.map(async (name) => (await keys.issue({ name })).key));
    const send = (key: string, id: string) =>
      service.call('GET', '/v1/pets', { headers: { authorization: `Bearer ${key}`, 'x-request-id': id } });
    const sendAll = () =>
      Promise.all(
        issued.flatMap((key, i) => [
          send(key, `of-client-${i}`),
          send(generateKey('test'), `of-nobody-${i}`),
        ]),
      );
    let answers = await sendAll();
    // The engine of a busy machine may take longer than any request waits.
    for (let i = 0; i < 10 && answers.some(({ status }) => status === 503); i++) answers = await sendAll();
    expect(answers.map(({ status }) => status)).toEqual(names.flatMap(() => [200, 401]));
    const lines = service.log.map((line) => JSON.parse(line) as { requestId?: string; key?: string });
    for (const name of names) {
      expect(lines.findLast(({ requestId }) => requestId === `of-${name}`)?.key).toBe(name);
    }
  });

  it('allows cross-origin requests only from listed origins', async () => {
    const headers = { origin: 'https://app.example.org', 'access-control-request-method': 'POST' };
    const closed = await service.call('OPTIONS', '/v1/pets', { headers });
    expect(closed.headers).not.toHaveProperty('access-control-allow-origin');

    const open = await startService({ corsOrigins: ['https://app.example.org'] });
    const preflight = await open.call('OPTIONS', '/v1/pets', { headers });
    const options = await open.call('OPTIONS', '/v1/pets');
    const nowhere = await open.call('OPTIONS', '/v1/.nothing', { headers });
    const refused = await open.call('GET', '/v1/pets', { headers });
    const stranger = await open.call('GET', '/v1/pets', { headers: { origin: 'https://evil.example.org' } });
    const root = await open.call('GET', '/', { headers });
    const document = await open.call('GET', '/openapi.json', { headers });
    const early = [
      await open.call('GET', '/v1/pets/%zz', { headers }),
      await open.call('GET', `/v1/${'x'.repeat(9_000)}`, { headers }),
      await open.call('GET', '/v1/pets', { headers: { ...headers, 'transfer-encoding': 'gzip' } }),
    ];
    await open.stop();
    for (const { status, headers: answered } of early) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(answered).toMatchObject({
        'access-control-allow-origin': 'https://app.example.org',
        'access-control-expose-headers': expect.stringContaining('Retry-After'),
        vary: 'Origin',
      });
    }
    expect({ status: options.status, allow: options.headers['allow'] }).toEqual({
      status: 204,
      allow: 'GET, HEAD, OPTIONS, POST',
    });
    expectError(nowhere, 'not_found');
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({
      allow: 'GET, HEAD, OPTIONS, POST',
      'x-request-id': expect.anything(),
    });
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': 'https://app.example.org',
      'access-control-allow-headers': expect.stringContaining('Authorization'),
    });
    expectError(refused, 'missing_api_key');
    expect(refused.headers['access-control-allow-origin']).toBe('https://app.example.org');
    expect(stranger.headers).not.toHaveProperty('access-control-allow-origin');
    expect(stranger.headers['vary']).toBe('Origin');
    expect(root.headers['vary']).toBe('Origin, accept');
    expect(document.headers['vary']).toBe('Origin, accept-encoding');
  });

  it('logs each request with its id and the name of the key, never the key', async () => {
    const answer = await service.get('/v1/pets?limit=3', { headers: { 'x-request-id': 'find-me' } });
    expect(answer.status).toBe(200);
    const lines = service.log.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.find(({ requestId }) => requestId === 'find-me')).toMatchObject({
      method: 'GET',
      route: '/v1/pets',
      status: 200,
      key: 'tests',
    });
    expect(service.log.join('')).not.toContain(service.key);
    expect(service.log.join('')).not.toContain(service.key.slice('pets_test_'.length, -6));
  });
});
