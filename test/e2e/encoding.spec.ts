import { afterEach, beforeEach, expect, it } from '@jest/globals';
import pg from 'pg';
import { pino } from 'pino';
import { createApp } from '../../src/app.js';
import { Config } from '../../src/common/config/config.js';
import { Database } from '../../src/database/database.js';
import { describeOnServer } from './support/database.js';

const server = process.env['DATABASE_DIRECT_URL'] ?? process.env['DATABASE_URL'] ?? '';

describeOnServer('A database that is not UTF8', () => {
  const name = `animal_store_encoding_${process.pid}`;
  let direct: pg.Client;
  beforeEach(async () => {
    direct = new pg.Client(server);
    await direct.connect();
  });
  afterEach(async () => {
    await direct.query(`DROP DATABASE IF EXISTS ${name}`);
    await direct.end();
  });

  async function start(): Promise<void> {
    const url = new URL(server);
    url.pathname = `/${name}`;
    const app = await createApp(Object.assign(new Config(), { databaseUrl: url.href }), {
      logger: pino({ level: 'silent' }),
    });
    try {
      await app.init();
      await app.get(Database).whenReady();
    } finally {
      await app.close();
    }
  }

  it('is refused at the start, with what to do', async () => {
    await direct.query(
      `CREATE DATABASE ${name} ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'`,
    );
    await expect(start()).rejects.toThrow(
      "the encoding SQL_ASCII; it must be UTF8: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0",
    );
  });
});
