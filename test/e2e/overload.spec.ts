import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { Resource } from '../../src/api/document/resource.decorator.js';
import { describeInside } from './support/deployment.js';
import { expectError } from './support/expectations.js';
import { type Service, startService } from './support/service.js';
import { sendRaw } from './support/socket.js';

const ORIGIN = 'https://app.example.org';
const REFUSED = 'The service has more to do than it can. Try again in a second.';

/** A request that lasts as long as a test wants. */
let begun = (): void => {};
let finish = (): void => {};
const isHeld = () => new Promise<void>((resolve) => (begun = resolve));

@Resource('test-held', 'Waits')
@Controller('test-held')
class HeldController {
  @Get()
  @ApiOperation({ summary: 'Wait' })
  @ApiOkResponse({ description: 'At the end.' })
  async hold(): Promise<void> {
    begun();
    await new Promise<void>((resolve) => (finish = resolve));
  }
}

@Module({ controllers: [HeldController] })
class HeldModule {}

describeInside('The limit of concurrent requests', () => {
  let service: Service;
  beforeAll(async () => {
    const settings = { maxConcurrentRequests: 1, corsOrigins: [ORIGIN] };
    service = await startService(settings, undefined, [HeldModule]);
  });
  afterAll(() => service.stop());

  /** Does this while one request is in flight. */
  const meanwhile = async (work: () => Promise<void>): Promise<void> => {
    const answer = service.get('/v1/test-held');
    await Promise.race([isHeld(), answer]);
    await work().finally(finish);
    expect((await answer).status).toBe(200);
  };

  it.each(['GET /v1/pets', 'GET /v1/pets/1', 'POST /v1/pets', 'PATCH /v1/store/orders/1'])(
    'refuses what is beyond it, with or without a key: %s',
    (request) =>
      meanwhile(async () => {
        const [method = '', path = ''] = request.split(' ');
        const answer = await service.call(method, path, { headers: { 'x-request-id': 'x1', origin: ORIGIN } });
        expectError(answer, 'service_unavailable', REFUSED);
        expect(answer.headers).toMatchObject({
          'retry-after': '1',
          'x-request-id': 'x1',
          'cache-control': 'no-store',
          'access-control-allow-origin': ORIGIN,
        });
        expect('deprecation' in answer.headers).toBe(path === '/v1/pets/1');
      }),
  );

  it('counts neither health checks nor documents', () =>
    meanwhile(async () => {
      for (const path of ['/health/live', '/health/ready', '/docs', '/openapi.json'])
        expect((await service.call('GET', path)).status).toBe(200);
    }));

  it('is free again with the answer, and leaves the connections of the refused open', async () => {
    await meanwhile(async () => {
      const list = 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n';
      const received = await sendRaw(service.origin, `${list}\r\n${list}Connection: close\r\n\r\n`);
      expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 503', 'HTTP/1.1 503']);
    });
    for (let i = 0; i < 5; i++) expect((await service.get('/v1/pets')).status).toBe(200);
  });

  it('is free again after clients that left before their answer', async () => {
    const { hostname, port } = new URL(service.origin);
    const request = `GET /v1/test-held HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n\r\n`;
    const socket = connect(Number(port), hostname).on('error', () => {});
    socket.write(request.repeat(3)); // pipelined
    await isHeld();
    socket.destroy();
    await once(socket, 'close');
    finish();
    let answer = await service.get('/v1/pets');
    while (answer.status === 503) answer = await service.get('/v1/pets');
    expect(answer.status).toBe(200);
  });
});
