import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import pg from 'pg';
import { pino } from 'pino';
import { createApp } from '../../src/app.js';
import { KeysService } from '../../src/auth/keys.service.js';
import { Config } from '../../src/common/config/config.js';
import { Database } from '../../src/database/database.js';
import { describeOnServer } from './support/database.js';

const { DATABASE_URL: url = '', DATABASE_DIRECT_URL: server = url } = process.env;
const preparedStatements = process.env['DATABASE_PREPARED_STATEMENTS'] !== 'false';

describeOnServer('Settings of a database', () => {
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

  const at = (address: string, query: string): string => {
    const there = new URL(address);
    there.pathname = `/${name}`;
    there.search = query;
    return there.href;
  };

  async function start(query = ''): Promise<NestFastifyApplication> {
    const settings = {
      databaseUrl: at(url, query),
      databaseDirectUrl: at(server, query),
      preparedStatements,
    };
    const app = await createApp(Object.assign(new Config(), settings), { logger: pino({ level: 'silent' }) });
    await app.init();
    await app.get(Database).whenReady();
    return app;
  }

  // PgBouncer refuses `options`.
  const queries = preparedStatements ? ['', '?options=-c%20search_path%3Dpublic'] : [''];
  const styles = ['German', 'SQL, DMY', 'Postgres, MDY'];

  it.each(styles.flatMap((style) => queries.map((query) => [style, query] as const)))(
    'such as DateStyle %s change no moment (URL%s)',
    async (style, query) => {
      await direct.query(`ALTER DATABASE ${name} SET datestyle = ${style}`);
      const app = await start(query);
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
    },
  );

  it('such as default_transaction_read_only keep a service that has just started from being ready', async () => {
    await (await start()).close();
    await direct.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    // A pooler keeps connections that began before.
    await direct.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
    const app = await start();
    try {
      await expect(app.get(Database).checkReadiness()).rejects.toThrow(
        'The database cannot be reached at the moment.',
      );
    } finally {
      await app.close();
    }
  });
});
