import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { pino } from 'pino';
import { createApp } from '../../src/app.js';
import { KeysService } from '../../src/auth/keys.service.js';
import { Config } from '../../src/common/config/config.js';
import { Database } from '../../src/database/database.js';

const server = process.env['DATABASE_DIRECT_URL'] ?? process.env['DATABASE_URL'] ?? '';

// Nobody sets anything for the embedded engine.
const onServer = server ? describe : describe.skip;

onServer('Settings of a database', () => {
  const name = `animal_store_settings_${process.pid}`;
  let direct: pg.Client;
  beforeEach(async () => {
    direct = new pg.Client(server);
    await direct.connect();
    await direct.query(`CREATE DATABASE ${name}`);
  });
  afterEach(async () => {
    await direct.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    await direct.end();
  });

  it.each(['German', 'SQL, DMY', 'Postgres, MDY'])('such as DateStyle %s change no moment', async (style) => {
    await direct.query(`ALTER DATABASE ${name} SET datestyle = ${style}`);
    const url = new URL(server);
    url.pathname = `/${name}`;
    const app = await createApp(Object.assign(new Config(), { databaseUrl: url.href }), {
      logger: pino({ level: 'silent' }),
    });
    try {
      await app.init();
      await app.get(Database).whenReady();
      const keys = app.get(KeysService);
      const { id, key, expiresAt } = await keys.issue({ name: 'dated' });
      expect((await keys.find(id))?.expiresAt).toEqual(expiresAt);
      expect((await keys.verify(key)).expiresAt).toEqual(expiresAt);
    } finally {
      await app.close();
    }
  });
});
