import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Shutdown } from '../../src/edge/shutdown.js';
import { unpackEmptyDatabase } from '../support/empty-database.js';
import { SHORT_LIVED } from '../support/short-lived.js';
import { call } from './support/client.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { type Service, startService } from './support/service.js';

const BODY = JSON.stringify({ name: 'Rex', categoryId: 1 });

/** Makes SIGUSR2 throw an uncaught exception, as a driver might. */
const CRASH = `process.on('SIGUSR2', () => {
  throw Object.assign(new TypeError('a secret name'), { code: 'E1', parameters: ['secret'] });
});`;

/** Expects one log line that says where the service crashed, without client data. */
function expectCrash(out: string) {
  expect(JSON.parse(out.trim().split('\n').at(-1) ?? '')).toEqual({
    level: 60,
    time: expect.any(Number),
    crash: {
      name: 'TypeError',
      code: 'E1',
      at: expect.arrayContaining([expect.stringMatching(/^at process\./)]),
    },
    msg: 'Uncaught error; the service exits.',
  });
  expect(out).not.toContain('secret');
}

describe('A draining service', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it('is alive but not ready, and answers every request with Connection: close', async () => {
    const options = { headers: { connection: 'keep-alive' } };
    expect((await service.get('/v1/pets', options)).headers['connection']).toBe('keep-alive');
    await service.app.get(Shutdown).drain(0);
    const ready = await service.call('GET', '/health/ready', options);
    expectError(ready, 'service_unavailable', 'The service is about to end.');
    const live = await service.call('GET', '/health/live', options);
    expectAnswer(live, 200, { status: 'ok' });
    const created = await service.post('/v1/pets', BODY, options);
    expect(created.status).toBe(201);
    for (const { headers } of [ready, live, created]) expect(headers['connection']).toBe('close');
  });
});

describe('The service process', () => {
  let folder: string;
  let crashes: NodeJS.ProcessEnv;
  const running = new Set<ChildProcess>();
  const sockets = new Set<Socket>();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'shutdown-spec-'));
    await unpackEmptyDatabase(join(folder, 'database', 'data'));
    const crash = join(folder, 'crash.mjs');
    await writeFile(crash, CRASH);
    crashes = { NODE_OPTIONS: `--import=${crash}` };
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    for (const child of running) {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  let key = '';

  /** Starts the service on the embedded database of these tests; the first start prints a key. */
  const start = async (settings: NodeJS.ProcessEnv = {}) => {
    const own = {
      DATABASE_URL: '',
      DATABASE_DIRECT_URL: '',
      DATABASE_DISTRIBUTION: '',
      DATABASE_DIR: join(folder, 'database'),
      PORT: '0',
      LOG_FORMAT: 'json',
    };
    const env = { ...process.env, NODE_OPTIONS: '', ...own, ...settings };
    const child = spawn(process.execPath, [...SHORT_LIVED, 'scripts/start.mjs'], { env });
    running.add(child);
    let out = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text: Buffer) => (out += text.toString()));
    const ended = once(child, 'close').then(([code]) => {
      running.delete(child);
      return { code: code as number | null, out };
    });
    const settled = /curl .*\n|npm run keys/;
    while (!settled.test(out)) {
      if (child.exitCode !== null) throw new Error(`The service exited early:\n${out}`);
      await Promise.race([once(child.stdout, 'data'), ended]);
    }
    const [origin = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(out) ?? [];
    key = /Authorization: Bearer (\S+)'/.exec(out)?.[1] ?? key;
    return { child, ended, origin };
  };

  const open = (origin: string) => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1').setEncoding('utf8');
    sockets.add(socket);
    let received = '';
    socket.on('error', () => {}).on('data', (text: string) => (received += text));
    const answered = async (pattern: RegExp) => {
      while (!pattern.test(received)) await once(socket, 'data');
      return received.slice(received.lastIndexOf('HTTP/1.1 '));
    };
    return { socket, answered };
  };

  const notReady = async (origin: string) => {
    while ((await call(origin, 'GET', '/health/ready', { once: true })).status !== 503) await pause(20);
  };

  it('answers new and in-flight requests after SIGTERM, waits for no idle connection, and exits with 0', async () => {
    const { child, ended, origin } = await start({ SHUTDOWN_DRAIN_MS: '2500' });
    const idle = open(origin);
    idle.socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    await idle.answered(/\{"status":"ok"\}$/);
    const slow = open(origin);
    const head = `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n`;
    slow.socket.write(head + BODY.slice(0, 5));
    for (const all of ['', 'GET /v1/pets HTTP/1.1\r\n', head]) open(origin).socket.write(all);

    const began = performance.now();
    child.kill('SIGTERM');
    await notReady(origin);
    expect((await call(origin, 'GET', '/health/live')).status).toBe(200);
    idle.socket.write('GET /health/live?again HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(await idle.answered(/connection: close[^]*\{"status":"ok"\}$/i)).toMatch(/^HTTP\/1\.1 200 /);
    await once(idle.socket, 'close');

    // Finishes the request after the service stopped listening: it began earlier, so it must still be answered.
    while (await call(origin, 'GET', '/health/live').catch(() => null)) await pause(20);
    slow.socket.write(BODY.slice(5));
    expect(await slow.answered(/\}$/)).toMatch(/^HTTP\/1\.1 201 [^]*connection: close/i);
    expect((await ended).code).toBe(0);
    expect(performance.now() - began).toBeLessThan(10_000);
  }, 120_000);

  it('exits at once on a second signal', async () => {
    const { child, ended, origin } = await start({ SHUTDOWN_DRAIN_MS: '60000' });
    child.kill('SIGINT');
    await pause(20); // the kernel would take a second one at the same time for the first
    child.kill('SIGINT'); // a duplicate: on Ctrl-C both the terminal and npm send one
    await notReady(origin);
    await pause(400);
    expect((await call(origin, 'GET', '/health/live')).status).toBe(200);
    child.kill('SIGTERM');
    expect((await ended).code).toBe(1);
  }, 120_000);

  it('keeps its embedded database intact after a stop, a crash or a kill, and logs a crash', async () => {
    const outcomes = { SIGTERM: 0, SIGUSR2: 1, SIGKILL: null, SIGINT: 0 };
    const acknowledged: { id: number | bigint }[] = [];
    for (const [signal, outcome] of Object.entries(outcomes)) {
      const { child, ended, origin } = await start(crashes);
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      for (const animal of acknowledged) {
        expect((await call(origin, 'GET', `/v1/pets/${animal.id}`, { headers })).json).toEqual(animal);
      }
      const enough = acknowledged.length + 20;
      const writers = Array.from({ length: 4 }, async () => {
        for (;;) {
          const answer = await call(origin, 'POST', '/v1/pets', { headers, body: BODY }).catch(() => null);
          if (answer?.status !== 201) return;
          acknowledged.push(answer.json as { id: number });
        }
      });
      while (acknowledged.length < enough) await pause(10);
      child.kill(signal as NodeJS.Signals);
      const { code, out } = await ended;
      await Promise.all(writers);
      expect(code).toBe(outcome);
      if (signal === 'SIGUSR2') expectCrash(out);
    }
  }, 120_000);
});
