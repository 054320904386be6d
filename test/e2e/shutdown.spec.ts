import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createDatabase, type TestDatabase } from '../support/database.js';
import { call } from './support/client.js';
import { describeInside } from './support/deployment.js';
import { expectAnswer, expectError } from './support/expectations.js';
import { Programs } from './support/process.js';
import { until } from './support/until.js';

const BODY = JSON.stringify({ name: 'Rex', categoryId: 1 });

describeInside('The end of a process', () => {
  let database: TestDatabase;
  let programs: Programs;
  let key: string;
  beforeAll(async () => {
    database = await createDatabase();
    programs = new Programs({ DATABASE_URL: database.url });
    key = await programs.issueKey();
  });
  afterAll(async () => {
    await programs.stop();
    await database.drop();
  });

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

  const readinessBecomes = (origin: string, status: number) =>
    until(async () => (await call(origin, 'GET', '/health/ready')).status === status);

  it('is graceful: requests that have begun are answered, new ones too until it stops listening', async () => {
    const { origin, ended, signal } = await programs.serve({ SHUTDOWN_DRAIN_MS: '1000' });
    const headers = { authorization: `Bearer ${key}` };
    await until(async () => (await call(origin, 'GET', '/v1/pets', { headers })).status === 200);
    const idle = open(origin);
    idle.send('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    await idle.receives(/\{"status":"ok"\}$/);
    const slow = open(origin);
    slow.send(
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nExpect: 100-continue\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n`,
    );
    await slow.receives(/100 Continue/);
    open(origin).send('GET /v1/pets HTTP/1.1\r\n'); // never finished

    const begun = performance.now();
    signal('SIGTERM');
    await readinessBecomes(origin, 503);
    expectError(await call(origin, 'GET', '/health/ready'), 'service_unavailable');
    const live = await call(origin, 'GET', '/health/live', { headers: { connection: 'keep-alive' } });
    expect([live.status, live.headers['connection']]).toEqual([200, 'close']);
    expectAnswer(await call(origin, 'GET', '/v1/pets', { headers }), 200, []);

    await until(() =>
      call(origin, 'GET', '/health/live').then(
        () => false,
        () => true,
      ),
    );
    slow.send(BODY);
    expect(await slow.receives(/\}$/)).toMatch(/^HTTP\/1\.1 201 [^]*connection: close/i);
    await idle.closed;
    expect((await ended).code).toBe(0);
    expect(performance.now() - begun).toBeLessThan(10_000);
  });
});
