import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createApp } from '../../src/app.js';
import { Config } from '../../src/common/config/config.js';
import type { ServerConnection } from '../../src/database/connection.js';
import { Database } from '../../src/database/database.js';
import { createDatabase, describeOnServer, type TestDatabase } from './support/database.js';

describeOnServer('A start', () => {
  let database: TestDatabase;
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket));
  beforeAll(() => once(silent.listen(0, '127.0.0.1'), 'listening'));
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((closed) => silent.close(closed));
  });
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(() => database.drop());

  const otherDatabase = (url: string) => Object.assign(new URL(url), { pathname: '/postgres' }).href;
  const folderAsFile = (url: string) =>
    Object.assign(new URL(url), { search: '?sslmode=disable&sslrootcert=/dev' }).href;

  it.each([
    [
      'of another database for migrations',
      ({ directUrl }: ServerConnection) => ({ directUrl: otherDatabase(directUrl) }),
      'DATABASE_DIRECT_URL leads to another database than DATABASE_URL.',
    ],
    [
      'with a certificate that cannot be read',
      ({ url }: ServerConnection) => ({ url: folderAsFile(url), directUrl: folderAsFile(url) }),
      'Error: EISDIR: illegal operation on a directory, read',
    ],
    [
      'for requests with a certificate that cannot be read',
      ({ url }: ServerConnection) => ({ url: folderAsFile(url) }),
      'Error: EISDIR: illegal operation on a directory, read',
    ],
    [
      'for requests that stays silent',
      () => ({ url: `postgres://127.0.0.1:${(silent.address() as AddressInfo).port}/x` }),
      'Error: timeout expired',
    ],
  ])('with an address %s says so, and goes on trying', async (_, wrong, problem) => {
    const connection = database.connection as ServerConnection;
    const config = Object.assign(new Config(), { logLevel: 'silent' });
    const app = await createApp(config, { connection: { ...connection, ...wrong(connection) } });
    try {
      await app.init();
      const started = app.get(Database);
      for (let i = 0; i < 100 && !started.connectionProblem; i++) await delay(50);
      expect(started.connectionProblem).toBe(problem);
      const ended = Promise.race([started.whenReady(), delay(100, 'trying')]);
      expect(await ended).toBe('trying');
    } finally {
      await app.close();
    }
  });
});
