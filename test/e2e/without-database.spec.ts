import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { createApp } from '../../src/app.js';
import { generateKey } from '../../src/auth/key-format.js';
import { Config } from '../../src/common/config/config.js';
import { call } from './support/client.js';
import { describeInside } from './support/deployment.js';
import { expectError } from './support/expectations.js';

describeInside('A service whose database', () => {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });

  const start = async (url: string) => {
    const log: string[] = [];
    const app = await createApp(Object.assign(new Config(), { databaseUrl: url }), {
      logger: pino({ level: 'warn' }, { write: (line: string) => void log.push(line) }),
    });
    closing.push(() => app.close());
    await app.listen(0, '127.0.0.1');
    const origin = await app.getUrl();
    const get = (path: string) =>
      call(origin, 'GET', path, { headers: { authorization: `Bearer ${generateKey('test')}` } });
    return { get, log };
  };

  /** A server that accepts connections and never sends a byte. */
  const silentServer = async (): Promise<number> => {
    const sockets = new Set<Socket>();
    const server: Server = createServer((socket) => void sockets.add(socket.on('error', () => {})));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(resolve));
    });
    return (server.address() as { port: number }).port;
  };

  it.each([
    ['refuses connections', async () => 1],
    ['does not answer', silentServer],
  ])('%s is alive, not ready, and answers 503 with Retry-After', async (_, port) => {
    const { get } = await start(`postgres://nobody:secret@127.0.0.1:${await port()}/nothing`);
    expect((await get('/health/live')).status).toBe(200);
    for (const path of ['/health/ready', '/v1/pets', '/v1/pets/1']) {
      const answer = await get(path);
      expectError(answer, 'service_unavailable');
      expect(answer.headers['retry-after']).toBe('1');
    }
  });

  it('refuses connections logs it once, without the password', async () => {
    const { get, log } = await start('postgres://nobody:secret@127.0.0.1:1/nothing');
    while (log.length === 0) await get('/health/live');
    expect(JSON.parse(log[0] ?? '')).toMatchObject({
      level: 50,
      msg: expect.stringContaining('The database cannot be used; trying again until it can'),
    });
    await get('/v1/pets');
    expect(log).toHaveLength(1);
    expect(log.join('')).not.toContain('secret');
  });
});
