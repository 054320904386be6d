import { spawnSync } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Config } from '../../src/common/config.js';
import { generateKey } from '../../src/auth/key-format.js';
import { MetricsServer } from '../../src/http/metrics-server.js';
import { type Answer, call } from './support/client.js';
import { describeInside } from './support/deployment.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { freePort } from './support/free-port.js';
import { Programs } from './support/process.js';
import { type Service, startService } from './support/service.js';
import { sendRaw } from './support/socket.js';
import { until } from './support/until.js';

const REX = { name: 'Rex', categoryId: 1 };
const onLinux = existsSync('/dev/full') ? describe : describe.skip;

/** The value of a sample, 0 before its first event. */
async function valueOf(origin: string, sample: string): Promise<number> {
  const { text } = await call(origin, 'GET', '/metrics');
  const line = text.split('\n').find((each) => each.startsWith(`${sample} `));
  return Number(line?.slice(sample.length + 1) ?? 0);
}

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
      expect(service.log.filter((line) => /"level":[3-6].*"context":"(Nest|Instance|Route)/.test(line))).toEqual([]);
    });

    it('goes on while the event loop lags, and other requests are refused', async () => {
      const block = async (): Promise<void> => {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_100); // the processor is free meanwhile
        await pause(0);
      };
      // The lag is the mean of a second. The last of these has no time in it that was not blocked.
      let answer: Answer;
      await until(async () => {
        await block();
        await block();
        answer = await service.get('/v1/pets');
        expectAnswer(await service.call('GET', '/health/live'), 200, { status: 'ok' });
        return answer.text.includes('overloaded');
      });
      expectError(answer!, 'service_unavailable', 'The service is overloaded. Try again in a second.');
      expect(answer!.headers['retry-after']).toBe('1');
      await until(async () => (await service.get('/v1/pets')).status === 200);
      await until(async () => (await service.call('GET', '/health/ready')).status === 200);
    });
  });
});

describeInside('The log', () => {
  it('has one line for each request: method, route, status, code, time and the name of the key', async () => {
    await service.get('/v1/pets?limit=0', { headers: { 'x-request-id': 'find-me' } });
    const lines = service.log.filter((line) => line.includes('"find-me"'));
    expect(lines).toHaveLength(1);
    const line = JSON.parse(lines[0]!) as { ms: number };
    expect(line.ms).toBeGreaterThan(0.05); // not seconds
    const request = { level: 30, requestId: 'find-me', method: 'GET', route: '/v1/pets', key: 'tests' };
    const [time, ms] = [expect.stringMatching(/^\d{4}-.*Z$/), expect.any(Number)];
    expect(line).toEqual({ ...request, time, status: 400, code: 'invalid_parameter', ms, msg: 'request' });
  });

  it('has no keys, no bodies and no queries', async () => {
    await service.post('/v1/pets', { name: 'Nobody sees this', categoryId: 1 });
    await service.get('/v1/pets?secret=hidden');
    await service.call('GET', `/v1/pets?access_token=${service.key}`);
    const all = service.log.join('');
    for (const secret of [service.key.slice('pets_test_'.length, -6), 'Nobody sees', 'hidden'])
      expect(all).not.toContain(secret);
  });

  it('has nothing that the database says of a row', async () => {
    // PostgreSQL quotes the row in the detail of the first error, and the name in the message of the second.
    const checks = ["quoted CHECK (name <> 'Unseen row')", "CHECK (name <> 'Unseen name' OR name::integer > 0)"];
    await service.database.query(`ALTER TABLE pets ADD CONSTRAINT ${checks.join(', ADD ')}`);
    const from = service.log.length;
    for (const name of ['Unseen row', 'Unseen name'])
      for (const headers of [{}, { 'idempotency-key': 'key' }])
        expectError(await service.post('/v1/pets', { name, categoryId: 1 }, { headers }), 'internal_error');
    const lines = service.log.slice(from).join('');
    expect(lines).toMatch(
      /"name":"DatabaseError","code":"23514","schema":"public","table":"pets","constraint":"quoted"/,
    );
    expect(lines).not.toContain('Unseen');
  });

  it('is one for people if that is set, of any level, and has what ends the process', async () => {
    const programs = new Programs({ DATABASE_URL: service.database.url, LOG_FORMAT: 'pretty', LOG_LEVEL: 'debug' });
    writeFileSync(join(programs.folder, '.env'), 'PROT=1\nREVISION_FILE=.env\nOTEL_BSP_SCHEDULE_DELAY=1000');
    const fault = 'data:text/javascript,process.on(`SIGUSR2`,()=>{throw(Error(`unforeseen`))})';
    const { origin, signal, ended } = await programs.serve({ NODE_OPTIONS: `--import=${fault}` });
    await call(origin, 'GET', '/health/live');
    signal('SIGUSR2');
    const { code, out } = await ended;
    await programs.stop();
    expect(out).toMatch(/^\[\d\d:\d\d:\d\d\] DEBUG: request \{/m);
    expect(out).toMatch(/FATAL: Uncaught error; the service exits\.[^]*unforeseen/);
    expect(out.match(/WARN: PROT in .env is no setting/g)).toHaveLength(1);
    expect(code).toBe(1);
  });

  onLinux('of which nothing can be written', () => {
    let programs: Programs;
    beforeAll(() => {
      programs = new Programs({ SHUTDOWN_DRAIN_MS: '0' }); // with the embedded database, it prints more
    });
    afterAll(() => programs.stop());

    it.each(['full disk', 'slow reader', 'lost reader'])('stops nothing, and is counted: %s', async (why) => {
      const pipe = join(programs.folder, why);
      spawnSync('mkfifo', [pipe]);
      const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
      const output = openSync(why.includes('disk') ? '/dev/full' : pipe, 'w');
      if (why.includes('lost')) closeSync(reader);
      const [port, metricsPort] = [await freePort(), await freePort()];
      const settings = { PORT: `${port}`, METRICS_PORT: `${metricsPort}` };
      const { ended, signal } = programs.launch('main.js', [], settings, output);
      const origin = `http://127.0.0.1:${port}`;
      const ready = () => call(origin, 'GET', '/health/ready').catch(() => undefined);
      await until(async () => (await ready())?.status === 200);
      const lost = () => valueOf(`http://127.0.0.1:${metricsPort}`, 'log_lines_lost_total');
      expect(await lost()).toBe(0);
      const request = `GET /none HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${'x'.repeat(128)}\r\n`;
      await sendRaw(origin, `${`${request}\r\n`.repeat(5_000)}${request}Connection: close\r\n\r\n`);
      expect(await lost()).toBeGreaterThan(0);
      expect((await ready())?.status).toBe(200);
      signal('SIGTERM');
      expect((await ended).code).toBe(0);
    });
  });
});

describeInside('Metrics', () => {
  let service: Service;
  let origin: string;
  beforeAll(async () => {
    service = await startService({ metricsPort: 0, metricsHost: '0.0.0.0', rateLimitFailures: 1, revision: 'abc' });
    const { port } = service.app.get(MetricsServer).server.server.address() as AddressInfo;
    origin = `http://127.0.0.1:${port}`;
  });
  afterAll(() => service.stop());

  const page = async () => (await call(origin, 'GET', '/metrics')).text;
  const value = (sample: string) => valueOf(origin, sample);

  it('are on a port of their own', async () => {
    const { status, headers } = await call(origin, 'GET', '/metrics');
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(service.app.get(MetricsServer).server.server.address()).toHaveProperty('address', '0.0.0.0'); // METRICS_HOST
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
    const headers = { authorization: `Bearer ${service.key}` };
    const begun = performance.now();
    for (let i = 0; i < 2; i++) await service.call(method, path, { headers });
    const seconds = (performance.now() - begun) / 1_000;
    expect(await value(`http_request_duration_seconds_count{${labels}}`)).toBe(2);
    const sum = await value(`http_request_duration_seconds_sum{${labels}}`);
    expect(sum).toBeGreaterThan(seconds / 1_000);
    expect(sum).toBeLessThan(seconds);
    for (const le of ['0.001', '0.5', '5'])
      expect(await page()).toContain(`http_request_duration_seconds_bucket{le="${le}",${labels}}`);
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
    const attempt = () =>
      service.call('GET', '/v1/pets', { headers: { authorization: `Bearer ${generateKey('test')}` } });
    expect([(await attempt()).status, (await attempt()).status]).toEqual([401, 429]);
    expect(await value('http_errors_total{code="invalid_api_key"}')).toBe(1);
    expect(await value('http_errors_total{code="rate_limited"}')).toBe(1);
  });

  it('count calls of deprecated operations by the name of the key, and never hold a key', async () => {
    const line = 'deprecated_operation_calls_total{operation="getPet",key="tests"}';
    const before = await value(line);
    await service.get('/v1/pets/1');
    await service.get('/v1/pets');
    Object.assign(service.app.get(Config), { sunsetRehearsal: true });
    expectError(await service.get('/v1/pets/1'), 'gone'); // whom to tell above all
    Object.assign(service.app.get(Config), { sunsetRehearsal: false });
    expect(await value(line)).toBe(before + 2);
    expect(await page()).not.toContain(service.key);
  });

  it('describe the build and the process', async () => {
    const text = await page();
    expect(text).toContain(`build_info{version="1.0.0",node="${process.version}",revision="abc"} 1`);
    for (const name of ['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes'])
      expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'));
  });

  it('say whether the database can be used; meanwhile the service is live, but not ready', async () => {
    const ready = () => service.call('GET', '/health/ready');
    await until(async () => (await ready()).status === 200);
    expect(await value('database_up')).toBe(1);
    await service.database.query('ALTER TABLE pets RENAME TO animals');
    const answers = [await ready(), await service.get('/v1/pets'), await service.post('/v1/pets', REX)];
    const [up, live] = [await value('database_up'), await service.call('GET', '/health/live')];
    await service.database.query('ALTER TABLE animals RENAME TO pets');
    expectError(answers[0]!, 'service_unavailable', 'The database cannot be used.');
    expectError(answers[1]!, 'service_unavailable', 'The service cannot answer at the moment.');
    expectError(answers[2]!, 'service_unavailable', 'The database cannot be used. Nothing was stored.');
    for (const { headers } of answers) expect(headers['retry-after']).toBe('1');
    expect(service.log.filter((line) => /"level":50.*"reason":"relation/.test(line))).toHaveLength(2);
    expect([up, live.status]).toEqual([0, 200]);
    await until(async () => (await ready()).status === 200);
    expect(await value('database_up')).toBe(1);
  });

  it('count the requests in flight', async () => {
    expect(await value('http_requests_in_flight')).toBe(0);
    const { hostname, port } = new URL(service.origin);
    const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.key}\r\n`;
    const socket = connect(Number(port), hostname, () =>
      socket.write(`${head}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n`),
    );
    await until(async () => (await value('http_requests_in_flight')) === 1);
    socket.end('{}');
    await until(async () => (await value('http_requests_in_flight')) === 0);
  });
});
