import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { pino } from 'pino';
import { DataSource } from 'typeorm';
import { createApp } from '../../src/app.js';
import { KeysService } from '../../src/auth/keys.service.js';
import { Config } from '../../src/common/config/config.js';
import { Database } from '../../src/database/database.js';
import { type Answer, call } from './support/client.js';
import { createDatabase, describeOnServer, type TestDatabase } from './support/database.js';
import { untilDecided } from './support/insist.js';

describeOnServer('Two replicas', () => {
  let database: TestDatabase;
  const replicas: NestFastifyApplication[] = [];
  let key: string;
  beforeAll(async () => {
    database = await createDatabase();
    for (let i = 0; i < 2; i++) {
      const parts = { connection: database.connection, logger: pino({ level: 'silent' }) };
      const app = await createApp(new Config(), parts);
      replicas.push(app);
      await app.listen(0, '127.0.0.1');
      await app.get(Database).whenReady();
    }
    ({ key } = await replicas[0]!.get(KeysService).issue({ name: 'both' }));
  });
  afterAll(async () => {
    for (const app of replicas) await app.close();
    await database.drop();
  });

  const run = (sql: string) => replicas[0]!.get(DataSource).query(sql);

  /** Sends it many times to both, until each is decided, and returns the distinct answers. */
  async function repeat(times: number, path: string, body: object): Promise<string[]> {
    const headers = { authorization: `Bearer ${key}`, 'idempotency-key': randomUUID() };
    const origins = await Promise.all(replicas.map((app) => app.getUrl()));
    const send = (i: number): Promise<Answer> =>
      untilDecided(() => call(origins[i % 2]!, 'POST', path, { headers, body }));
    const answers = await Promise.all(Array.from({ length: times }, (_, i) => send(i)));
    const made = answers.filter((answer) => answer.headers['idempotency-replayed'] === undefined);
    expect(made).toHaveLength(1);
    const about = ({ status, text, headers: { location = '' } }: Answer): string =>
      [status, location, text].join(' ');
    return [...new Set(answers.map(about))];
  }

  it('execute 100 equal requests with one key once, and give one answer', async () => {
    for (let round = 0; round < 5; round++) {
      const name = `Once ${randomUUID()}`;
      const answers = await repeat(100, '/v1/pets', { name, categoryId: 1 });
      expect(answers).toEqual([expect.stringMatching(/^201 \/v1\/pets\/\d+ \{"id":\d+,"name":"Once /)]);
      expect(await run(`SELECT FROM pets WHERE name = '${name}'`)).toHaveLength(1);
    }
  });

  it('execute equal orders once, although the second would be refused without its record', async () => {
    for (let round = 0; round < 10; round++) {
      const [{ id }] = await run("INSERT INTO pets (name, category_id) VALUES ('Rex', 1) RETURNING id");
      const answers = await repeat(20, '/v1/store/orders', { petId: id });
      expect(answers).toEqual([expect.stringMatching(/^201 \/v1\/store\/orders\/\d+ /)]);
      expect(await run(`SELECT FROM orders WHERE pet_id = ${id}`)).toHaveLength(1);
    }
  });
});
