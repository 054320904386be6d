import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { KeysService } from '../../src/auth/keys.service.js';
import { Config } from '../../src/common/config/config.js';
import { DeclaredErrors } from '../../src/api/errors/declared-errors.js';
import { DeprecatedCalls } from '../../src/api/deprecation/deprecated-calls.js';
import { Metrics } from '../../src/observability/metrics.js';
import { Database } from '../../src/database/database.js';
import { MetricsServer } from '../../src/edge/metrics-server.js';
import { call } from './support/client.js';
import { expectError } from './support/expectations.js';
import { type Service, startService } from './support/service.js';
import { sendRaw } from './support/socket.js';

describe('Metrics', () => {
  let service: Service;
  let origin: string;

  beforeAll(async () => {
    service = await startService({ metricsPort: 0, rateLimitFailures: 1 });
    origin = service.app.get(MetricsServer).origin ?? '';
  });
  afterAll(() => service.stop());

  const lines = async (): Promise<string[]> => (await call(origin, 'GET', '/metrics')).text.split('\n');
  /** The value of a sample, or 0 if it does not exist yet. */
  const value = async (line: string): Promise<number> =>
    Number(
      (await lines()).find((candidate) => candidate.startsWith(`${line} `))?.slice(line.length + 1) ?? 0,
    );

  it('are served on their own port only', async () => {
    const answer = await call(origin, 'GET', '/metrics');
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expectError(await service.call('GET', '/metrics'), 'not_found');
    expect((await call(origin, 'GET', '/v1/pets')).status).toBe(404);
    expect((await call(origin, 'POST', '/metrics')).status).toBe(404);
  });

  describe('are written once at a time', () => {
    let written: () => Promise<string>;
    let writing: number;
    let most: number;
    beforeEach(() => {
      const { registry } = service.app.get(Metrics);
      written = registry.metrics;
      writing = most = 0;
      registry.metrics = async () => {
        most = Math.max(most, ++writing);
        await delay(5);
        writing--;
        return '';
      };
    });
    afterEach(() => {
      service.app.get(Metrics).registry.metrics = written;
    });

    it('for one connection, however often it asks', async () => {
      const get = 'GET /metrics HTTP/1.1\r\nHost: x\r\n';
      const received = await sendRaw(origin, `${get}\r\n`.repeat(20) + `${get}Connection: close\r\n\r\n`);
      expect(received.match(/HTTP\/1\.1 200/g)).toHaveLength(21);
      expect(most).toBe(1);
    });

    it('for all connections, which get the same page', async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => call(origin, 'GET', '/metrics')));
      expect(answers.map(({ status }) => status)).toEqual(Array<number>(50).fill(200));
      expect(most).toBe(1);
    });
  });

  it('count and time requests by method, route and status', async () => {
    const labels = 'method="GET",route="/v1/pets/:petId",status="404"';
    const before = await value(`http_requests_total{${labels}}`);
    await service.get('/v1/pets/101');
    await service.get('/v1/pets/102');
    expect(await value(`http_requests_total{${labels}}`)).toBe(before + 2);
    const text = await lines();
    const counts = text
      .filter((line) => line.startsWith('http_request_duration_seconds_bucket{') && line.includes(labels))
      .map((line) => Number(line.split(' ')[1]));
    expect(counts).toHaveLength(13);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(counts.at(-1)).toBe(before + 2);
    expect(await value(`http_request_duration_seconds_count{${labels}}`)).toBe(before + 2);
    expect(await value(`http_request_duration_seconds_sum{${labels}}`)).toBeGreaterThan(0);
  });

  it('count requests by the routes of features below another path', async () => {
    for (const [method, status] of [
      ['GET', 404],
      ['PATCH', 415],
      ['DELETE', 404],
    ] as const) {
      const line = `http_requests_total{method="${method}",route="/v1/store/orders/:orderId",status="${status}"}`;
      const before = await value(line);
      const headers = { authorization: `Bearer ${service.key}` };
      expect((await service.call(method, '/v1/store/orders/101', { headers })).status).toBe(status);
      expect(await value(line)).toBe(before + 1);
    }
  });

  it('have no labels for unknown paths and methods', async () => {
    await service.call('GET', '/invented-path');
    await service.call('PROPFIND', '/v1/pets');
    const text = (await lines()).join('\n');
    expect(text).not.toMatch(/invented-path|PROPFIND/);
    expect(await value('http_requests_total{method="unknown",route="unknown",status="405"}')).toBe(1);
    expect(
      await value('http_requests_total{method="unknown",route="unknown",status="404"}'),
    ).toBeGreaterThanOrEqual(1);
  });

  it('count no probes', async () => {
    for (const path of ['/health/live', '/health/ready']) {
      expect((await service.call('GET', path)).status).toBe(200);
      expect((await service.call('HEAD', path)).status).toBe(200);
    }
    const { checkReadiness } = service.app.get(Database);
    service.app.get(Database).checkReadiness = () => Promise.reject(new Error('down'));
    expect((await service.call('GET', '/health/ready')).status).toBe(503);
    service.app.get(Database).checkReadiness = checkReadiness;
    expect((await lines()).join('\n')).not.toContain('/health/');
    expect(await value('http_errors_total{code="service_unavailable"}')).toBe(0);
  });

  it('begin with 0 for every error code, so that Prometheus sees the increase of the first', async () => {
    const codes = service.app.get(DeclaredErrors).allKinds();
    const samples = (await lines()).filter((line) => line.startsWith('http_errors_total{'));
    expect(new Set(samples.map((line) => /code="(\w+)"/.exec(line)?.[1]))).toEqual(
      new Set(codes.map(({ code }) => code)),
    );
    expect(samples).toContain('http_errors_total{code="internal_error"} 0');
    expect(samples).toContain('http_errors_total{code="order_complete"} 0');
  });

  it('count errors by code', async () => {
    const attempt = () => service.call('GET', '/v1/pets', { headers: { authorization: 'Bearer nonsense' } });
    expect([(await attempt()).status, (await attempt()).status]).toEqual([401, 429]);
    await service.call('GET', '/v1/pets');
    expect(await value('http_errors_total{code="invalid_api_key"}')).toBe(1);
    expect(await value('http_errors_total{code="rate_limited"}')).toBe(1);
    expect(await value('http_errors_total{code="missing_api_key"}')).toBe(1);
    expect(await value('http_requests_refused_total')).toBe(0);
    for (const reason of ['stalled', 'silent', 'slow', 'queued'])
      expect(await value(`http_connections_closed_total{reason="${reason}"}`)).toBe(0);
    expect(await value('http_requests_in_flight')).toBe(0);
  });

  it('count calls of deprecated operations by key name, and never contain a key', async () => {
    const line = 'deprecated_operation_calls_total{operation="getPet",key="tests"}';
    const before = await value(line);
    await service.get('/v1/pets/1');
    await service.get('/v1/pets');
    await service.call('GET', '/v1/pets/1');
    expect(await value(line)).toBe(before + 1);
    expect((await lines()).join('\n')).not.toContain(service.key);
  });

  it('count hits and misses of the key cache', async () => {
    const read = async () => [
      await value('api_key_cache_hits_total'),
      await value('api_key_cache_misses_total'),
    ];
    const keys = service.app.get(KeysService);
    const { key } = await keys.issue({ name: 'new' });
    const [hits = 0, misses = 0] = await read();
    await Promise.all([keys.verify(key), keys.verify(key)]);
    expect(await read()).toEqual([hits + 1, misses + 1]);
  });

  it('describe the process and the build', async () => {
    const text = (await lines()).join('\n');
    expect(text).toContain(`build_info{version="1.0.0",node="${process.version}",revision="unknown"} 1`);
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
    expect(text).toMatch(/^process_resident_memory_bytes \d/m);
  });

  it('read gauges and totals of other modules on each scrape', async () => {
    const metrics = service.app.get(Metrics);
    let waiting = 3;
    metrics.gauge('test_waiting', 'Waiting.', () => waiting);
    metrics.total('test_done_total', 'Done.', () => 7);
    expect(await value('test_waiting')).toBe(3);
    waiting = 2;
    expect(await value('test_waiting')).toBe(2);
    expect([await value('test_done_total'), await value('test_done_total')]).toEqual([7, 7]);
  });

  it('limit the number of key labels', async () => {
    const calls = service.app.get(DeprecatedCalls);
    for (let i = 0; i < 300; i++) calls.count('bounded', `key ${i}`);
    const named = (await lines()).filter((line) => line.includes('operation="bounded"'));
    expect(named.length).toBeLessThanOrEqual(201);
    expect(named.some((line) => line.includes('key="other"'))).toBe(true);
  });
});

describe('The metrics server', () => {
  it('does not start without METRICS_PORT', async () => {
    const service = await startService();
    expect(service.app.get(MetricsServer).origin).toBeUndefined();
    await service.stop();
  });

  it('explains that its port is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const server = new MetricsServer(Object.assign(new Config(), { metricsPort: port }), new Metrics());
    await expect(server.onApplicationBootstrap()).rejects.toThrow(
      /METRICS_PORT and METRICS_HOST must be a free address \(listen EADDRINUSE/,
    );
    taken.close();
  });
});
