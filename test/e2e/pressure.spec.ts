import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeysService } from '../../src/auth/keys.service.js';
import { Metrics } from '../../src/observability/metrics.js';
import { Page } from '../../src/api/paging/page.js';
import type { Pet } from '../../src/pets/pet.entity.js';
import { PetsRepository } from '../../src/pets/pets.repository.js';
import { type Answer } from './support/client.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { type Service, startService } from './support/service.js';

const ORIGIN = 'https://app.example.org';
const REFUSED = 'The service has more to do than it can. Try again in a second.';

/** The limit is one request, and each test holds a request until it calls `finish`. */
describe('At the limit of concurrent requests, the service', () => {
  let service: Service;
  let finish: () => void;
  let held: Promise<Answer>;

  beforeAll(async () => {
    service = await startService({ maxConcurrentRequests: 1, corsOrigins: [ORIGIN] });
  });
  afterAll(() => service.stop());

  beforeEach(async () => {
    const repository = service.app.get(PetsRepository);
    const { findPage } = repository;
    const begun = new Promise<void>((begin) => {
      repository.findPage = async () => {
        begin();
        await new Promise<void>((resolve) => (finish = resolve));
        return new Page<Pet>([], undefined);
      };
    });
    held = service.get('/v1/pets');
    await begun;
    repository.findPage = findPage;
  });
  afterEach(async () => {
    finish();
    expectAnswer(await held, 200, []);
  });

  it.each([
    ['GET', '/v1/pets'],
    ['HEAD', '/v1/pets'],
    ['GET', '/v1/pets/1'],
    ['GET', '/v1/%70ets/1?x=/'],
    ['POST', '/v1/pets'],
  ])('refuses %s %s at once, with or without a key', async (method, path) => {
    const body = method === 'POST' ? { name: 'Rex', categoryId: 1 } : undefined;
    const answer = await service.call(method, path, {
      ...(body && { body }),
      headers: { 'x-request-id': 'x1', origin: ORIGIN },
    });
    if (method === 'HEAD')
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 503, text: '' });
    else expectError(answer, 'service_unavailable', REFUSED);
    expect(answer.headers).toMatchObject({
      'retry-after': '1',
      'x-request-id': 'x1',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': ORIGIN,
      vary: 'Origin',
    });
    expect('deprecation' in answer.headers).toBe(path.includes('/1'));
  });

  it('still serves health checks and documents', async () => {
    const paths = ['/health/live', '/health/ready', '/docs', '/openapi.json'];
    const answers = await Promise.all(paths.map((path) => service.call('GET', path)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('answers again as soon as a request finishes', async () => {
    finish();
    await held;
    expectAnswer(await service.get('/v1/pets'), 200, []);
  });

  it('keeps the connection of a refused request open, and answers in order', async () => {
    const post =
      'POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}';
    const last = 'GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const received = await conversation(service.origin, post + post + last);
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 503', 'HTTP/1.1 503', 'HTTP/1.1 200']);
  });
});

describe('The limit of concurrent requests does not count', () => {
  let service: Service;
  const sockets: Socket[] = [];

  beforeAll(async () => {
    service = await startService({ maxConcurrentRequests: 1, trustedProxies: ['127.0.0.1'] });
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await service.stop();
  });

  it('a request whose body has not arrived', async () => {
    const { hostname, port } = new URL(service.origin);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    const credential = `Authorization: Bearer ${service.key}\r\n`;
    const invited = new Promise((resolve) => socket.once('data', resolve));
    // The service sends 100 when it begins to read the body.
    socket.write(
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${credential}Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n`,
    );
    await invited;
    expectAnswer(await service.get('/v1/pets'), 200, []);
  });

  it('a request whose client has disconnected, but for its key and network', async () => {
    const { key } = await service.app.get(KeysService).issue({ name: 'another' });
    const begun = nextListHangs(service);
    const { hostname, port } = new URL(service.origin);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.write(`GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
    await begun;
    expectError(await service.get('/v1/pets'), 'service_unavailable', REFUSED);
    socket.destroy();
    const listElsewhere = (): Promise<Answer> =>
      service.get('/v1/pets', { headers: { 'x-forwarded-for': '192.0.2.1' } });
    let answer = await listElsewhere();
    for (let i = 0; i < 100 && answer.status !== 200; i++) answer = await listElsewhere();
    expectAnswer(answer, 200, []);
  });
});

describe('The number of requests in flight', () => {
  const HEALTH = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n';
  const STRANGER = 'GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n';
  const BROKEN = 'GET /v1/%zz HTTP/1.1\r\nHost: x\r\n\r\n';

  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  const inFlight = async (): Promise<number | undefined> => {
    const metric = service.app.get(Metrics).registry.getSingleMetric('http_requests_in_flight');
    return (await metric?.get())?.values[0]?.value;
  };

  // Node.js does not tell pipelined responses that their connection closed.
  it.each([
    ['beyond the pipelining limit', HEALTH.repeat(100) + STRANGER.repeat(300)],
    ['with CONNECT behind one that is never answered', 'CONNECT /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['pipelined behind one that is never answered', STRANGER.repeat(3) + BROKEN.repeat(3)],
  ])('drops requests of a disconnected client %s', async (_, behind) => {
    const begun = nextListHangs(service);
    const { hostname, port } = new URL(service.origin);
    const socket = connect(Number(port), hostname).on('error', () => {});
    const held = `GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n\r\n`;
    socket.write(held);
    await begun;
    await new Promise((resolve) => socket.write(behind, resolve));
    socket.destroy();
    for (let i = 0; i < 200 && (await inFlight()) !== 0; i++) await delay(10);
    expect(await inFlight()).toBe(0);
  });
});

/** Makes the next list hang. Resolves when it has begun. */
function nextListHangs(service: Service): Promise<void> {
  const repository = service.app.get(PetsRepository);
  const { findPage } = repository;
  return new Promise((begin) => {
    repository.findPage = () => {
      repository.findPage = findPage;
      begin();
      return new Promise(() => {});
    };
  });
}

function conversation(origin: string, text: string): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    socket.on('close', () => resolve(received));
    socket.on('error', reject);
  });
}
