import { closeSync, existsSync, openSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeysService } from '../../src/auth/keys.service.js';
import { Database } from '../../src/database/database.js';
import { Statements } from '../../src/database/statements.js';
import { MetricsServer } from '../../src/http/metrics-server.js';
import { call } from './support/client.js';
import { describeInside } from './support/deployment.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { freePort } from './support/free-port.js';
import { Programs } from './support/process.js';
import { type Service, startService } from './support/service.js';
import { until } from './support/until.js';

const onLinux = existsSync('/dev/full') ? describe : describe.skip;

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

describe('Health', () => {
  it.each(['/health/live', '/health/ready'])('%s answers 200 without a key', async (path) => {
    expectAnswer(await service.call('GET', path), 200, { status: 'ok' });
  });

  describeInside('in this process', () => {
    it('is logged at debug, and other requests at info', async () => {
      const levels = async (method: string, path: string): Promise<unknown[]> => {
        const from = service.log.length;
        await service.call(method, path);
        const lines = service.log.slice(from).map((line) => JSON.parse(line) as { level: number; context?: string });
        // A standby may begin to serve meanwhile.
        return lines.filter(({ context }) => context !== 'Database').map(({ level }) => level);
      };
      for (const path of ['/health/live', '/health/ready']) {
        expect(await levels('GET', path)).toEqual([20]);
        expect(await levels('HEAD', path)).toEqual([20]);
      }
      expect(await levels('GET', '/v1/pets')).toEqual([30]);
    });

    it('is live but not ready while the database does not answer', async () => {
      const database = service.app.get(Database);
      const { check } = database;
      database.check = () => Promise.reject(new Error('down'));
      const ready = await service.call('GET', '/health/ready');
      const live = await service.call('GET', '/health/live');
      database.check = check;
      expectError(ready, 'service_unavailable', 'The database does not answer.');
      expect(ready.headers['retry-after']).toBe('1');
      expect(live.status).toBe(200);
    });

    it('answers 503 to a request whose database connection breaks', async () => {
      const statements = service.app.get(Statements);
      const find = statements.findOne;
      statements.findOne = () => Promise.reject(Object.assign(new Error('Connection terminated unexpectedly')));
      const { key } = await service.app.get(KeysService).issue({ name: 'not looked up yet' });
      const answer = await service.get('/v1/pets', { headers: { authorization: `Bearer ${key}` } });
      statements.findOne = find;
      expectError(answer, 'service_unavailable', 'The service cannot answer at the moment.');
      expect(answer.headers['retry-after']).toBe('1');
    });
  });
});

describeInside('The log', () => {
  const linesOf = async (send: () => Promise<unknown>): Promise<Record<string, unknown>[]> => {
    const from = service.log.length;
    await send();
    const lines = service.log.slice(from).map((line) => JSON.parse(line) as Record<string, unknown>);
    return lines.filter(({ msg }) => msg === 'request');
  };

  it('has one line for each request: method, route, status, code, time and the name of the key', async () => {
    const headers = { 'x-request-id': 'find-me' };
    const [line] = await linesOf(() => service.get('/v1/pets?limit=0', { headers }));
    const request = { level: 30, requestId: 'find-me', method: 'GET', route: '/v1/pets', key: 'tests' };
    expect(line).toMatchObject({ ...request, status: 400, code: 'invalid_parameter', ms: expect.any(Number) });
    expect(line).not.toHaveProperty('address');
  });

  it('has probes at debug', async () => {
    for (const path of ['/health/live', '/health/ready'])
      expect(await linesOf(() => service.call('GET', path))).toEqual([expect.objectContaining({ level: 20 })]);
  });

  it('has no keys, no bodies and no queries', async () => {
    await service.post('/v1/pets', { name: 'Nobody sees this', categoryId: 1 });
    await service.get('/v1/pets?secret=hidden');
    await service.call('GET', `/v1/pets?access_token=${service.key}`);
    const all = service.log.join('');
    for (const secret of [service.key.slice('pets_test_'.length, -6), 'Nobody sees', 'hidden'])
      expect(all).not.toContain(secret);
  });

  onLinux('of which nothing can be written, on a full disk,', () => {
    it('stops nothing', async () => {
      const port = await freePort();
      const full = openSync('/dev/full', 'w');
      const programs = new Programs({ DATABASE_URL: service.database.url, SHUTDOWN_DRAIN_MS: '0' });
      const { ended, signal } = programs.launch('main.js', [], { PORT: `${port}` }, full);
      const ready = () => call(`http://127.0.0.1:${port}`, 'GET', '/health/ready').catch(() => undefined);
      await until(async () => (await ready())?.status === 200);
      for (let i = 0; i < 100; i++) expect((await ready())?.status).toBe(200);
      signal('SIGTERM');
      expect((await ended).code).toBe(0);
      closeSync(full);
      await programs.stop();
    });
  });
});

describeInside('Metrics', () => {
  let service: Service;
  let origin: string;
  beforeAll(async () => {
    service = await startService({ metricsPort: 0, rateLimitFailures: 1, revision: 'abc' });
    const { port } = service.app.get(MetricsServer).server.server.address() as AddressInfo;
    origin = `http://127.0.0.1:${port}`;
  });
  afterAll(() => service.stop());

  const page = async () => (await call(origin, 'GET', '/metrics')).text;
  /** The value of a sample, 0 before its first event. */
  const value = async (sample: string): Promise<number> => {
    const line = (await page()).split('\n').find((each) => each.startsWith(`${sample} `));
    return Number(line?.slice(sample.length + 1) ?? 0);
  };

  it('are on a port of their own', async () => {
    const { status, headers } = await call(origin, 'GET', '/metrics');
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expectError(await service.call('GET', '/metrics'), 'not_found');
    expect((await call(origin, 'GET', '/v1/pets')).status).toBe(404);
    expect((await call(origin, 'POST', '/metrics')).status).toBe(404);
  });

  it.each([
    ['GET', '/v1/pets/101', '/v1/pets/:petId', 404],
    ['PATCH', '/v1/store/orders/101', '/v1/store/orders/:orderId', 415],
    ['GET', '/v1/pets?limit=1', '/v1/pets', 200],
  ])('count and time requests by method, route and status: %s %s', async (method, path, route, status) => {
    const labels = `method="${method}",route="${route}",status="${status}"`;
    const before = await value(`http_request_duration_seconds_count{${labels}}`);
    const headers = { authorization: `Bearer ${service.key}` };
    for (let i = 0; i < 2; i++) await service.call(method, path, { headers });
    expect(await value(`http_request_duration_seconds_count{${labels}}`)).toBe(before + 2);
    expect(await value(`http_request_duration_seconds_sum{${labels}}`)).toBeGreaterThan(0);
  });

  it('have no labels for what clients invent, and count no probes', async () => {
    await service.call('GET', '/invented-path');
    await service.call('PROPFIND', '/v1/pets');
    await service.call('GET', '/health/ready');
    expect(await page()).not.toMatch(/invented-path|PROPFIND|\/health\//);
    expect(await value('http_request_duration_seconds_count{method="unknown",route="unknown",status="405"}')).toBe(1);
  });

  it('count errors by code, beginning with 0, so that the first increase is seen', async () => {
    for (const code of ['internal_error', 'service_unavailable', 'order_complete'])
      expect(await page()).toContain(`http_errors_total{code="${code}"} 0`);
    const attempt = () => service.call('GET', '/v1/pets', { headers: { authorization: 'Bearer nonsense' } });
    expect([(await attempt()).status, (await attempt()).status]).toEqual([401, 429]);
    expect(await value('http_errors_total{code="invalid_api_key"}')).toBe(1);
    expect(await value('http_errors_total{code="rate_limited"}')).toBe(1);
  });

  it('count calls of deprecated operations by the name of the key, and never hold a key', async () => {
    const line = 'deprecated_operation_calls_total{operation="getPet",key="tests"}';
    const before = await value(line);
    await service.get('/v1/pets/1');
    await service.get('/v1/pets');
    expect(await value(line)).toBe(before + 1);
    expect(await page()).not.toContain(service.key);
  });

  it('describe the build, the process, and what is under way', async () => {
    const text = await page();
    expect(text).toContain(`build_info{version="1.0.0",node="${process.version}",revision="abc"} 1`);
    const ofProcess = ['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes'];
    const ofService = ['http_requests_in_flight', 'database_up'];
    for (const name of [...ofProcess, ...ofService]) expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'));
  });
});
