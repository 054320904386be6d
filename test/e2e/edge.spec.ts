import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { Resource } from '../../src/api/document/resource.decorator.js';
import { describeInside } from './support/deployment.js';
import { expectError } from './support/expectations.js';
import { type Service, startService } from './support/service.js';
import { parseRaw, sendRaw } from './support/socket.js';

@Resource('test-crash', 'Fails')
@Controller('test-crash')
class CrashController {
  @Get()
  @ApiOperation({ summary: 'Fail' })
  @ApiOkResponse({ description: 'Never.' })
  crash(): never {
    throw new Error('a secret of /etc/passwd');
  }
}

@Module({ controllers: [CrashController] })
class CrashModule {}

const HEAD = 'HTTP/1.1\r\nHost: x\r\n';

describe('The edge', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({}, undefined, [CrashModule]);
  });
  afterAll(() => service.stop());

  const summaryOf = (raw: string) => {
    const { status, headers, body } = parseRaw(raw);
    const { code } = JSON.parse(body) as { code: string };
    return [status, code, headers['connection'], headers['content-type']];
  };
  const closing = (status: number, code: string) => [status, code, 'close', 'application/json; charset=utf-8'];
  const post = (headers: string) => `POST /v1/pets ${HEAD}Content-Type: application/json\r\n${headers}\r\n`;
  const bearer = () => `Authorization: Bearer ${service.key}\r\n`;

  it('reads no body before the key is known to be valid', async () => {
    const head = 'Expect: 100-continue\r\nConnection: close\r\nContent-Length: 2\r\n';
    expect(summaryOf(await sendRaw(service.origin, post(head)))).toEqual(closing(401, 'missing_api_key'));
    const invited = await sendRaw(service.origin, `${post(bearer() + head)}{}`);
    expect(invited).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 Bad Request\r\n/);
  });

  it('limits the time for the headers and for the whole request', async () => {
    const [headers, body] = await Promise.all([
      sendRaw(service.origin, `POST /v1/pets ${HEAD}X-Unfinished: `),
      sendRaw(service.origin, `${post(`${bearer()}Content-Length: 50\r\n`)}{`),
    ]);
    expect(summaryOf(headers)).toEqual(closing(408, 'request_timeout'));
    expect(summaryOf(body)).toEqual(closing(408, 'request_timeout'));
  });

  it.each(['/v1', '/v1/', '/pets', '/v2/pets', '/v1/Pets', '/v1/pets/1/x', '/v1/inventory', '/metrics', '/.env'])(
    'answers 404 with or without a key: %s',
    async (path) => {
      for (const answer of [await service.get(path), await service.call('POST', path)]) {
        expectError(answer, 'not_found', 'There is no such path: paths begin with /v1 and end without a slash.');
        if (path.startsWith('/v1')) expect(answer.headers['cache-control']).toBe('no-store');
      }
    },
  );

  it('names each answer and its log line by the request id, which a client may choose', async () => {
    const ask = async (id?: string) =>
      String((await service.get('/v1/pets', { headers: { 'x-request-id': id } })).headers['x-request-id']);
    expect(await ask('of-the.client_1')).toBe('of-the.client_1');
    const made = [await ask(), await ask('a,b'), await ask('x'.repeat(129))];
    for (const id of made) expect(id).toMatch(/^[\da-f-]{36}$/);
    const ids = service.log.map((line) => (JSON.parse(line) as { requestId?: string }).requestId);
    expect(ids).toEqual(expect.arrayContaining(['of-the.client_1', ...made]));
  });

  it.each(['/v1/pets', '/v1/.nothing', '/health/live', '/openapi.json', '/%zz'])(
    'marks what is no page as data for browsers: %s',
    async (path) => {
      expect((await service.call('GET', path)).headers).toMatchObject({
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
    },
  );

  describeInside('whose handler fails', () => {
    it('answers 500 with a fixed message, and logs what happened', async () => {
      const answer = await service.get('/v1/test-crash', { headers: { 'x-request-id': 'crashed' } });
      const message = 'The service failed. Nothing about the request is known to be wrong.';
      expectError(answer, 'internal_error', message);
      const line = service.log.find((each) => each.includes('"level":50') && each.includes('a secret'));
      expect(JSON.parse(line ?? '{}')).toMatchObject({ err: { stack: expect.stringContaining('crash') } });
    });
  });
});
