import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MetricsServer } from '../../src/http/metrics-server.js';
import { call } from './support/client.js';
import { describeInside } from './support/deployment.js';
import { expectError } from './support/expectations.js';
import { type Service, startService } from './support/service.js';

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
    const before = await value(`http_requests_total{${labels}}`);
    const headers = { authorization: `Bearer ${service.key}` };
    for (let i = 0; i < 2; i++) await service.call(method, path, { headers });
    expect(await value(`http_requests_total{${labels}}`)).toBe(before + 2);
    expect(await value(`http_request_duration_seconds_count{${labels}}`)).toBe(before + 2);
    expect(await value(`http_request_duration_seconds_sum{${labels}}`)).toBeGreaterThan(0);
  });

  it('have no labels for what clients invent, and count no probes', async () => {
    await service.call('GET', '/invented-path');
    await service.call('PROPFIND', '/v1/pets');
    await service.call('GET', '/health/ready');
    expect(await page()).not.toMatch(/invented-path|PROPFIND|\/health\//);
    expect(await value('http_requests_total{method="unknown",route="unknown",status="405"}')).toBe(1);
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
    const ofService = ['http_requests_in_flight', 'http_requests_refused_total', 'database_up', 'database_connections'];
    for (const name of [...ofProcess, ...ofService]) expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'));
  });
});
