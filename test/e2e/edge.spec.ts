import { once } from 'node:events';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { Fetched, Resource } from '../../src/api/decorators.js';
import { describeInside } from './support/deployment.js';
import { expectError } from './support/expectations.js';
import { addOrder } from './support/resources.js';
import { type Service, startService } from './support/service.js';
import { parseRaw, sendRaw } from './support/socket.js';
import { until } from './support/until.js';

@Resource('test-crash', 'Fails')
@Controller('test-crash')
class CrashController {
  @Get()
  @ApiOperation({ summary: 'Fail' })
  @Fetched({ type: CrashController, description: 'Never.' })
  crash(): never {
    throw new Error('a secret of /etc/passwd', { cause: Object.assign(new Error('its cause'), { code: 'ITS_CODE' }) });
  }
}

@Module({ controllers: [CrashController] })
class CrashModule {}

const HEAD = 'HTTP/1.1\r\nHost: x\r\n';
const BOTH = 'application/json, application/merge-patch+json';
const ORIGIN = 'https://app.example.org';
const PREFLIGHT = { origin: ORIGIN, 'access-control-request-method': 'POST' };

let service: Service;
beforeAll(async () => {
  service = await startService({}, undefined, [CrashModule]);
});
afterAll(() => service.stop());

describe('The edge', () => {
  const summaryOf = (raw: string) => {
    const { status, headers, body } = parseRaw(raw);
    const { code } = JSON.parse(body) as { code: string };
    return [status, code, headers['connection'], headers['content-type']];
  };
  const closing = (status: number, code: string) => [status, code, 'close', 'application/json; charset=utf-8'];
  const post = (headers: string) => `POST /v1/pets ${HEAD}Content-Type: application/json\r\n${headers}\r\n`;
  const bearer = () => `Authorization: Bearer ${service.key}\r\n`;

  it('reads no body before the key is known to be valid', async () => {
    const head = 'Connection: close\r\nContent-Length: 2\r\n';
    expect(summaryOf(await sendRaw(service.origin, post(head)))).toEqual(closing(401, 'missing_api_key'));
    const invited = await sendRaw(service.origin, `${post(`${bearer()}Expect: 100-continue\r\n${head}`)}{}`);
    expect(invited).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 Bad Request\r\n/);
  });

  it('limits the time: 6 seconds for the headers, and 4 more for the body', async () => {
    const begun = performance.now();
    const send = async (unfinished: string) => {
      const summary = summaryOf(await sendRaw(service.origin, unfinished));
      return { summary, ms: performance.now() - begun };
    };
    const [headers, body] = await Promise.all([
      send(`POST /v1/pets ${HEAD}X-Unfinished: `),
      send(`${post(`${bearer()}Content-Length: 50\r\n`)}{`),
    ]);
    for (const { summary } of [headers, body]) expect(summary).toEqual(closing(408, 'request_timeout'));
    expect(headers.ms).toBeGreaterThan(5_900);
    expect(headers.ms).toBeLessThan(body.ms);
    expect(body.ms).toBeGreaterThan(9_900);
  });

  describeInside('with a reader that takes nothing', () => {
    it('ends its connection', async () => {
      const server = service.app.getHttpServer();
      const connections = promisify(server.getConnections.bind(server));
      const open = connect({ port: Number(new URL(service.origin).port), allowHalfOpen: true }).resume();
      open.write('malformed\r\n\r\n');
      await once(open, 'end');
      await service.call('GET', '/health/live');
      expect(await connections()).toBeLessThan(2);
      open.destroy();
      expect(server).toMatchObject({ timeout: 60_000, headersTimeout: 6_000, requestTimeout: 10_000 });
      server.timeout = 500;
      const reader = connect(Number(new URL(service.origin).port)).pause();
      reader.write(`GET /docs/swagger-ui-bundle.js ${HEAD}\r\n`.repeat(10)); // more than the kernel takes
      await until(async () => (await connections()) === 1);
      server.timeout = 60_000;
      await until(async () => (await connections()) === 0);
      expect(reader.destroyed).toBe(false); // by the client
      reader.destroy();
    });
  });

  const unknown = '/v1 /v1/ /pets /v2/pets /v1/Pets /v1/pets/1/x /v1/inventory /metrics /.env';
  it.each(unknown.split(' '))('answers 404 with or without a key: %s', async (path) => {
    for (const answer of [await service.get(path), await service.call('POST', path)]) {
      expectError(answer, 'not_found', 'There is no such path. A valid one is /v1/pets, without a slash at its end.');
      if (path.startsWith('/v1')) expect(answer.headers['cache-control']).toBe('no-store');
    }
  });

  it('names each answer and its log line by the request id, which a client may choose', async () => {
    const ask = async (id?: string) =>
      String((await service.get('/v1/pets', { headers: { 'x-request-id': id } })).headers['x-request-id']);
    expect(await ask('of-the.client_1')).toBe('of-the.client_1');
    const made = [await ask(), await ask('a,b'), await ask('x'.repeat(129))];
    for (const id of made) expect(id).toMatch(/^[\da-f-]{36}$/);
    const ids = service.log.map((line) => (JSON.parse(line) as { requestId?: string }).requestId);
    expect(ids).toEqual(expect.arrayContaining(['of-the.client_1', ...made]));
  });

  const data = ['/v1/pets', '/v1/.nothing', '/health/live', '/openapi.json', '/%zz'];
  it.each(data)('marks what is no page as data for browsers: %s', async (path) => {
    expect((await service.call('GET', path)).headers).toMatchObject({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
  });

  describeInside('whose handler fails', () => {
    it('answers 500 with a fixed message, and logs what happened', async () => {
      const answer = await service.get('/v1/test-crash', { headers: { 'x-request-id': 'crashed' } });
      const message = 'The service failed. Nothing about the request is known to be wrong.';
      expectError(answer, 'internal_error', message);
      const line = service.log.find((each) => each.includes('"level":50') && each.includes('a secret'));
      const stack = expect.stringContaining('crash');
      expect(JSON.parse(line ?? '{}')).toMatchObject({
        requestId: 'crashed',
        err: { stack, cause: { message: 'its cause', code: 'ITS_CODE', stack } },
      });
    });
  });
});

describe('Methods', () => {
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
      for (const method of ['PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'].filter((one) => !allow.includes(one))) {
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
});

describeInside('Requests from other origins', () => {
  let open: Service;
  beforeAll(async () => {
    open = await startService({ corsOrigins: [ORIGIN] }, undefined, [], service);
  });
  afterAll(() => open.stop());

  it('may have the methods of their path, and all headers', async () => {
    const preflight = await open.call('OPTIONS', '/v1/store/orders/1', { headers: PREFLIGHT });
    expect(preflight.status).toBe(204);
    expect(preflight.headers).toMatchObject({
      allow: 'DELETE, GET, HEAD, OPTIONS, PATCH',
      vary: 'Origin',
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-methods': expect.stringMatching(/^DELETE, GET, HEAD, (OPTIONS, )?PATCH$/),
      // The asterisk does not cover Authorization.
      'access-control-allow-headers': 'Authorization, *',
      'access-control-expose-headers': '*',
      'access-control-max-age': '600',
    });
    expect((await open.call('OPTIONS', '/v1/pets')).status).toBe(204); // also without a preflight
    expectError(await open.call('OPTIONS', '/v1/.nothing', { headers: PREFLIGHT }), 'not_found');
  });

  it.each(['/v1/pets', '/v1/.nothing', `/v1/${'x'.repeat(9_000)}`])('can read refusals too: %.20s', async (path) => {
    const answer = await open.call('GET', path, { headers: { origin: ORIGIN } });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.headers).toMatchObject({ 'access-control-allow-origin': ORIGIN, vary: 'Origin' });
  });

  it('get no permission unless the origin is listed', async () => {
    for (const origin of ['https://evil.example.org', 'http://app.example.org', 'null']) {
      const { headers } = await open.call('GET', '/v1/pets', { headers: { origin } });
      expect(headers).not.toHaveProperty('access-control-allow-origin');
      expect(headers['vary']).toBe('Origin');
    }
  });

  it('get none at all by default', async () => {
    const { headers } = await service.call('OPTIONS', '/v1/pets', { headers: PREFLIGHT });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });
});
