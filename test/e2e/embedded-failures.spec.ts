import { randomUUID } from 'node:crypto';
import { cp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { pino } from 'pino';
import { createApp } from '../../src/app.js';
import { KeysService } from '../../src/auth/keys.service.js';
import { Config } from '../../src/common/config/config.js';
import { Database } from '../../src/database/database.js';
import { openEmbeddedDatabase } from '../../src/database/embedded/embedded-database.js';
import { DataSource } from 'typeorm';
import { call } from './support/client.js';
import { describeInside } from './support/deployment.js';
import { expectError } from './support/expectations.js';

describeInside('An embedded database', () => {
  const directory = join(tmpdir(), `animal-store-${randomUUID()}`);
  let app: NestFastifyApplication;
  let headers: Record<string, string>;
  let log: string[];

  const ask = async (method: string, path: string, body?: object) =>
    call(await app.getUrl(), method, path, { headers, ...(body && { body }) });
  const create = () => ask('POST', '/v1/pets', { name: 'Rex', categoryId: 1 });

  const start = async (): Promise<void> => {
    log = [];
    app = await createApp(new Config(), {
      connection: { kind: 'embedded', engine: await openEmbeddedDatabase(directory) },
      logger: pino({ level: 'warn' }, { write: (line: string) => void log.push(line) }),
    });
    await app.listen(0, '127.0.0.1');
    await app.get(Database).whenReady();
    const { key } = await app.get(KeysService).issue({ name: 'failures' });
    headers = { authorization: `Bearer ${key}` };
    expect((await create()).status).toBe(201);
  };
  const expectAway = async (reason: RegExp): Promise<void> => {
    for (let look = 0; look < 100 && !reason.test(log.join('')); look++) await delay(50);
    for (const answer of [await ask('GET', '/health/ready'), await ask('GET', '/v1/pets'), await create()])
      expectError(answer, 'service_unavailable', 'The database cannot be reached at the moment.');
    expect(log.join('')).toMatch(reason);
  };

  afterEach(() => app.close());
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it('whose engine crashes is away, and the log says to restart the service', async () => {
    await start();
    const { manager } = app.get(DataSource);
    await manager.query(
      'CREATE FUNCTION endless(n int) RETURNS int LANGUAGE sql AS $$ SELECT endless(n + 1) $$',
    );
    await expect(manager.query('SELECT endless(1)')).rejects.toThrow('has failed');
    await expectAway(/The database is away.*The embedded database has failed.*restart the service/);
  }, 60_000);

  it('whose folder is moved away and back is away until the service restarts: files may be missing', async () => {
    await start();
    await rename(join(directory, 'data'), join(directory, 'elsewhere'));
    await expectAway(/The database is away.*ENOENT.*restart the service/);
    await rename(join(directory, 'elsewhere'), join(directory, 'data'));
    await delay(1_500);
    await expectAway(/ENOENT/);
    await app.close();
    await start();
  }, 60_000);

  it('whose folder is replaced is away', async () => {
    await start();
    await rename(join(directory, 'data'), join(directory, 'old'));
    await cp(join(directory, 'old'), join(directory, 'data'), { recursive: true });
    await expectAway(/The database is away.*has been replaced.*restart the service/);
  }, 60_000);
});
