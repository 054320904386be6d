import dns from 'node:dns';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { pino } from 'pino';
import { createApp } from '../../src/app.js';
import { KeysService } from '../../src/auth/keys.service.js';
import { Config } from '../../src/common/config/config.js';
import { Database } from '../../src/database/database.js';
import { call } from './support/client.js';
import { createDatabase, describeOnServer, type TestDatabase } from './support/database.js';
import { Wire } from './support/wire.js';

describeOnServer('While no name server answers', () => {
  let database: TestDatabase;
  let wire: Wire;
  let app: NestFastifyApplication;
  let origin: string;
  let headers: Record<string, string>;
  const log: string[] = [];
  const asked: string[] = [];
  const silent = new Set(['redis.test']);

  beforeAll(async () => {
    const { lookup } = dns;
    jest.spyOn(dns, 'lookup').mockImplementation(((name: string, ...rest: [never, never]) => {
      const isTest = name.endsWith('.test');
      if (isTest) asked.push(name);
      if (!silent.has(name)) lookup(isTest ? '127.0.0.1' : name, ...rest);
    }) as never);
    database = await createDatabase();
    if (database.connection.kind !== 'server') throw new Error('DATABASE_URL is not set');
    wire = await Wire.to(database.connection.url);
    const url = new URL(wire.url);
    url.hostname = 'database.test';
    const config = Object.assign(new Config(), { redisUrl: 'redis://redis.test' });
    app = await createApp(config, {
      connection: { ...database.connection, url: url.href },
      logger: pino({ level: 'warn' }, { write: (line: string) => void log.push(line) }),
    });
    await app.listen(0, '127.0.0.1');
    await app.get(Database).whenReady();
    origin = await app.getUrl();
    const { key } = await app.get(KeysService).issue({ name: 'names' });
    headers = { authorization: `Bearer ${key}` };
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await app.close();
    await wire.close();
    await database.drop();
  });

  const list = () => call(origin, 'GET', '/v1/pets', { headers });

  it('the database is reached at its last address', async () => {
    expect((await list()).status).toBe(200);
    silent.add('database.test');
    await wire.cut();
    await wire.join();
    for (let attempt = 0; (await list()).status !== 200; attempt++) {
      if (attempt === 100) throw new Error(`The database is still away: ${log.join('')}`);
      await delay(50);
    }
    expect(log.join('')).toContain(
      'database.test is not resolved (no answer within 200 ms); its last address is used',
    );
  });

  it('Redis waits for one answer, however often it connects', async () => {
    for (let attempt = 0; attempt < 100 && !log.join('').includes('Connection timeout'); attempt++)
      await delay(50);
    expect(log.join('')).toContain('Connection timeout');
    await delay(2_500); // for further attempts
    expect(asked.filter((name) => name === 'redis.test')).toHaveLength(1);
    expect((await list()).status).toBe(200);
  });
});
