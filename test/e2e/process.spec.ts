import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateKey } from '../../src/auth/key-format.js';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { call } from './support/client.js';
import { describeInside, describeOnOneServer } from './support/deployment.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { addKey, Programs } from './support/process.js';
import { until } from './support/until.js';
import { Wire } from './support/wire.js';

const CURL = /[^]*curl -i -H 'Authorization: Bearer (pets_test_\w+)' (\S+)\n/;
const LATIN1 = "ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0";
const REX = { name: 'Rex', categoryId: 1 };

/** Collects what comes on a connection. */
function open(origin: string) {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1').setEncoding('utf8');
  let received = '';
  socket.on('data', (text: string) => (received += text)).on('error', () => {});
  const closed = once(socket, 'close');
  const receives = async (pattern: RegExp): Promise<string> => {
    while (!pattern.test(received)) await once(socket, 'data');
    return received.slice(received.lastIndexOf('HTTP/1.1 '));
  };
  return { send: (text: string) => socket.write(text), receives, closed };
}

describeInside('The service as a process', () => {
  let programs: Programs;
  let database: TestDatabase;
  beforeAll(async () => {
    programs = new Programs();
    database = await createDatabase();
  });
  afterAll(async () => {
    await programs.stop();
    await database.drop();
  });

  const readinessBecomes = (origin: string, status: number) =>
    until(async () => (await call(origin, 'GET', '/health/ready')).status === status);

  it('prints a key and a request at the first start, and shares its embedded database, which stops with the last', async () => {
    const first = await programs.serve();
    const [printed, key = '', url] = await first.says(CURL);
    expect(url).toBe(`${first.origin}/v1/pets`);
    expect(printed).toContain(`listens at ${first.origin}/v1; documentation: ${first.origin}/docs\n`);
    expect(printed).toMatch(/^An API key .* \(expires on [\d-]{10}\):$/m);
    const listed = await programs.run('auth/keys.cli.js', ['list']);
    expect(listed.err).toMatch(/^In the embedded database .*\.data\/database:\n$/);
    const headers = { authorization: `Bearer ${key}` };
    const created = await call(first.origin, 'POST', '/v1/pets', { headers, body: REX });
    expect(created.status).toBe(201);
    const pidFile = join(programs.folder, '.data/database/postgres/postmaster.pid');
    const server = readFileSync(pidFile, 'utf8');

    const second = await programs.serve();
    const list = () => call(second.origin, 'GET', '/v1/pets', { headers });
    await readinessBecomes(second.origin, 200);
    expect((await list()).text).toBe(`[${created.text}]`);
    first.signal('SIGINT');
    expect((await first.ended).code).toBe(0);
    expect((await list()).text).toBe(`[${created.text}]`);
    expect(readFileSync(pidFile, 'utf8')).toBe(server);
    second.signal('SIGTERM');
    const { code, out } = await second.ended;
    expect({ code, keys: out.match(/pets_test_/g) }).toEqual({ code: 0, keys: null });
    expect(out).toContain('To issue another API key, run: npm run keys -- issue --name me');
    await until(async () => !existsSync(pidFile));
  });

  it('lists all invalid settings at once', async () => {
    const { code, out, err } = await programs.run('main.js', [], { PORT: 'x', KEY_ENVIRONMENT: 'y' });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(
      /^The configuration is not valid:\n +- PORT must be .+\n +- KEY_ENVIRONMENT must be live or.*\n$/,
    );
  });

  it('says that its port is in use, or its folder is none', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const [taken, metrics, file, host, mistake] = await Promise.all([
      programs.run('main.js', [], { DATABASE_URL: database.url, PORT: `${port}` }),
      programs.run('main.js', [], { DATABASE_URL: database.url, METRICS_PORT: `${port}` }),
      programs.run('main.js', [], { DATABASE_DIR: process.execPath }),
      programs.run('main.js', [], { DATABASE_URL: database.url, HOST: 'a..b' }),
      programs.run('main.js', [], {
        DATABASE_URL: database.url,
        NODE_OPTIONS: '--import=data:text/javascript,setInterval=0',
      }),
    ]);
    await once(other.close(), 'close');
    const place = `EADDRINUSE: address already in use 127.0.0.1:${port}`;
    expect(taken.err).toBe(`Cannot listen: listen ${place}. Set PORT and HOST to a free address.\n`);
    expect(metrics.err).toContain('METRICS_PORT and METRICS_HOST must be a free address');
    expect(file.err).toMatch(/^The embedded PostgreSQL in \/.* does not start: [^]*for example:\n {2}docker run/);
    expect(host.err).toMatch(/^Cannot listen: .*a\.\.b\. Set PORT and HOST/);
    expect(mistake.err).toMatch(/^TypeError: .*\n {4}at /);
    for (const { code, err } of [taken, metrics, file, host]) {
      expect(code).toBe(1);
      expect(err).not.toContain('    at ');
    }
  });

  it('listens before its database is there, answers 503 in time, becomes ready by itself, and ends without it', async () => {
    const wire = await Wire.to(database.url);
    await wire.cut();
    try {
      const { origin, signal, ended } = await programs.serve({ DATABASE_URL: wire.url, SHUTDOWN_DRAIN_MS: '0' });
      const ask = (path: string, key = generateKey('test')) =>
        call(origin, 'GET', path, { headers: { authorization: `Bearer ${key}` } });
      for (const path of ['/health/ready', '/v1/pets?limit=1']) {
        const begun = performance.now();
        const answer = await ask(path);
        expect(performance.now() - begun).toBeLessThan(1_300);
        expectError(answer, 'service_unavailable');
        expect(answer.headers['retry-after']).toBe('1');
      }
      expectError(await ask('/v1/pets', `pets_test_${'0'.repeat(38)}`), 'invalid_api_key'); // it needs no look-up
      expect((await ask('/health/live')).status).toBe(200);
      await wire.join();
      await until(async () => (await ask('/health/ready')).status === 200);
      expectError(await ask('/v1/pets'), 'invalid_api_key');
      wire.freeze();
      signal('SIGTERM');
      expect(await ended).toMatchObject({ code: 1, out: expect.stringContaining('The shutdown timed out') });
    } finally {
      await wire.cut();
    }
  });

  describe('that serves', () => {
    let service: Awaited<ReturnType<Programs['serve']>>;
    beforeAll(async () => {
      service = await programs.serve({ DATABASE_URL: database.url, SHUTDOWN_DRAIN_MS: '1000' });
    });

    it('lives through hundreds who ask for its page at once', async () => {
      const { origin, pid } = service;
      const { hostname, port } = new URL(origin);
      const crowd = connect(Number(port), hostname).on('error', () => {});
      crowd.write('GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(500)); // and read nothing
      const begun = performance.now();
      expect((await call(origin, 'GET', '/health/live')).status).toBe(200);
      expect(performance.now() - begun).toBeLessThan(2_000);
      expect((await call(origin, 'GET', '/docs/swagger-ui-bundle.js')).status).toBe(200);
      const status = `/proc/${pid}/status`; // of Linux
      const [, peak = 0] = /VmHWM:\s+(\d+) kB/.exec(existsSync(status) ? readFileSync(status, 'utf8') : '') ?? [];
      expect(Number(peak)).toBeLessThan(400_000);
      crowd.destroy();
    });

    it('ends gracefully: requests that have begun are answered, new ones too until it stops listening', async () => {
      const { origin, ended, signal } = service;
      await readinessBecomes(origin, 200);
      const headers = { authorization: `Bearer ${await addKey(database)}` };
      const idle = open(origin);
      idle.send('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
      await idle.receives(/\{"status":"ok"\}$/);
      const body = JSON.stringify(REX);
      const slow = open(origin);
      slow.send(
        `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: ${headers.authorization}\r\nExpect: 100-continue\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`,
      );
      await slow.receives(/100 Continue/);
      open(origin).send('GET /v1/pets HTTP/1.1\r\n'); // never finished
      const late = open(origin);
      late.send('GET /health/live HTTP/1.1\r\n');

      const begun = performance.now();
      signal('SIGTERM');
      await readinessBecomes(origin, 503);
      expectError(await call(origin, 'GET', '/health/ready'), 'service_unavailable', 'The service is about to end.');
      const live = await call(origin, 'GET', '/health/live', { headers: { connection: 'keep-alive' } });
      expect([live.status, live.headers['connection']]).toEqual([200, 'close']);
      expectAnswer(await call(origin, 'GET', '/v1/pets', { headers }), 200, []);

      const listens = () => call(origin, 'GET', '/health/live').then(Boolean, () => false);
      await until(async () => !(await listens()));
      late.send('Host: x\r\n\r\n');
      expect(await late.receives(/\}$/)).toMatch(/^HTTP\/1\.1 200 /);
      slow.send(body);
      expect(await slow.receives(/\}$/)).toMatch(/^HTTP\/1\.1 201 [^]*connection: close/i);
      await idle.closed;
      const { code, out } = await ended;
      expect(out).toContain('The service shuts down.');
      expect([code, out.replaceAll(/^\{.*\}\n/gm, '')]).toEqual([0, '']); // with a DATABASE_URL, it prints nothing but its log
      expect(performance.now() - begun).toBeLessThan(10_000);
    });
  });

  describeOnOneServer('with a database that it cannot use', () => {
    it.each([
      ['is no cluster', '', { DATABASE_DISTRIBUTION: 'citus' }, /^function create_distributed_table.* does not exist/],
      ['has another encoding', LATIN1, {}, /^The database .* LATIN1, .*ENCODING 'UTF8'/],
    ])('ends, and says why, when it %s', async (_, options, settings, advice) => {
      const other = await createDatabase(options);
      const { code, err } = await programs.run('main.js', [], { DATABASE_URL: other.url, ...settings });
      await other.drop();
      expect(err).toMatch(advice);
      expect(code).toBe(1);
    });
  });
});
