import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import pg from 'pg';
import { pino } from 'pino';
import { DataSource } from 'typeorm';
import { createApp } from '../../src/app.js';
import { KeysService } from '../../src/auth/keys.service.js';
import { Config } from '../../src/common/config/config.js';
import { Database } from '../../src/database/database.js';
import { DATABASE_LIMITS } from '../../src/database/limits.js';
import { Transactions } from '../../src/database/transactions/transactions.js';
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

  const at = (address: string, query: string, user?: string): string => {
    const there = new URL(address);
    if (user) Object.assign(there, { username: user, password: 'secret' });
    there.pathname = `/${name}`;
    there.search = query;
    return there.href;
  };

  async function start(query = '', user?: string): Promise<NestFastifyApplication> {
    const settings = {
      databaseUrl: at(url, query, user),
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

  it('have the server end sessions whose client is gone without a word', async () => {
    if (!preparedStatements) return; // PgBouncer
    const app = await start();
    try {
      const names = ['tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count'];
      const shown = await app
        .get(DataSource)
        .query('SELECT setting FROM pg_settings WHERE name = ANY ($1) ORDER BY name DESC', [names]);
      expect(shown).toEqual([{ setting: '5' }, { setting: '10' }, { setting: '3' }]);
    } finally {
      await app.close();
    }
  });

  it('that change later, change no connection', async () => {
    if (!preparedStatements) return; // PgBouncer
    const app = await start('?options=-c%20extra_float_digits%3D0');
    try {
      const changes = {
        array_nulls: 'off',
        client_min_messages: 'error',
        default_transaction_isolation: 'serializable',
        row_security: 'on',
        search_path: 'elsewhere',
        standard_conforming_strings: 'off',
        synchronous_commit: 'off',
        timezone: 'Asia/Tokyo',
      };
      for (const [setting, value] of Object.entries(changes))
        await direct.query(`ALTER DATABASE ${name} SET ${setting} = '${value}'`);
      const dataSource = app.get(DataSource);
      const session = async (): Promise<unknown> =>
        (
          await dataSource.query<{ values: object }[]>(
            `SELECT pg_backend_pid() AS pid,
               (SELECT json_object_agg(lower(name), setting) FROM pg_settings WHERE lower(name) = ANY ($1)) AS values`,
            [[...Object.keys(changes), 'extra_float_digits']],
          )
        )[0];
      const before = (await session()) as { pid: number; values: object };
      await direct.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
      const after = await answered(session);
      expect(after).not.toMatchObject({ pid: before.pid });
      expect(after).toMatchObject({
        values: {
          array_nulls: 'on',
          client_min_messages: 'warning',
          default_transaction_isolation: 'read committed',
          extra_float_digits: '0', // the URL overrides the service
          row_security: 'off',
          search_path: '"$user", public',
          standard_conforming_strings: 'on',
          synchronous_commit: 'on',
          timezone: 'UTC',
        },
      });
      const keys = app.get(KeysService);
      const { key } = await answered(() => keys.issue({ name: 'issued after the change' }));
      expect(await answered(() => keys.verify(key))).toMatchObject({ name: 'issued after the change' });
    } finally {
      await app.close();
    }
  });

  /** Until the connections are replaced, statements fail. */
  async function answered<T>(ask: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await ask();
      } catch (error) {
        if (attempt === 200) throw error;
        await delay(100);
      }
    }
  }

  // The service sets the path of its own sessions. As another role, it may not end those of a pooler.
  it.each([
    preparedStatements ? ['role', name] : ['search_path', 'elsewhere'],
    ['default_transaction_read_only', 'on'],
  ])(
    'such as %s refuse nothing for longer than they are set, even if a pooler keeps sessions',
    async (setting, value) => {
      const { keptMs } = DATABASE_LIMITS;
      Object.assign(DATABASE_LIMITS, { keptMs: 500 });
      const app = await start();
      try {
        const transactions = app.get(Transactions);
        const many = (statement: string) =>
          Promise.allSettled(
            Array.from({ length: 6 }, () => transactions.run((own) => own.query<unknown>(statement))),
          );
        const refused = async () => {
          const outcomes = await many('UPDATE api_keys SET note = note');
          return outcomes.filter(({ status }) => status === 'rejected').length;
        };
        await direct.query(`CREATE ROLE ${name}`);
        await direct.query(`ALTER DATABASE ${name} SET ${setting} = ${value}`);
        await direct.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
          name,
        ]);
        await many('SELECT'); // finds that they are gone
        await many('SELECT pg_sleep(0.3)'); // so that there are connections with the setting
        await direct.query(`ALTER DATABASE ${name} RESET ${setting}`);
        expect(await refused()).toBeGreaterThan(1);
        await answered(async () => expect(await refused()).toBe(0));
      } finally {
        Object.assign(DATABASE_LIMITS, { keptMs });
        await app.close();
        await direct.query(`DROP ROLE ${name}`);
      }
    },
  );

  it('keep no functions that know types as they were, even if a pooler keeps sessions', async () => {
    const { keptMs } = DATABASE_LIMITS;
    const app = await start();
    const owner = new pg.Client(at(server, ''));
    await owner.connect();
    try {
      const refused = async () => {
        const outcomes = await Promise.allSettled(
          Array.from({ length: 6 }, () =>
            app.get(Transactions).run(async (own) => {
              await own.query("INSERT INTO pets (name, category_id) VALUES ('Rex', 1)");
              await own.query('SELECT pg_sleep(0.1)'); // so that each has a session
            }),
          ),
        );
        return outcomes.filter(({ status }) => status === 'rejected').length;
      };
      await owner.query(`CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN IF new.name = 'nobody' THEN RETURN NULL; END IF; RETURN new; END $$`);
      await owner.query('CREATE TRIGGER note BEFORE INSERT ON pets FOR EACH ROW EXECUTE FUNCTION note()');
      expect(await refused()).toBe(0);
      await owner.query('ALTER TABLE pets ALTER name TYPE varchar(310)');
      Object.assign(DATABASE_LIMITS, { keptMs: 500 });
      expect(await refused()).toBeGreaterThan(0);
      await answered(async () => expect(await refused()).toBe(0));
    } finally {
      Object.assign(DATABASE_LIMITS, { keptMs });
      await app.close();
      await owner.end();
    }
  });

  it('let no policy hide rows: statements fail, and the service is not ready', async () => {
    if (!preparedStatements) return; // PgBouncer
    await (await start()).close();
    const owner = new pg.Client(at(server, ''));
    await owner.connect();
    await owner.query(`CREATE ROLE ${name} LOGIN PASSWORD 'secret'`);
    await owner.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${name}`);
    const app = await start('', name);
    try {
      const { key } = await app.get(KeysService).issue({ name: 'hidden' });
      await owner.query('ALTER TABLE api_keys ENABLE ROW LEVEL SECURITY');
      await expect(app.get(KeysService).verify(key)).rejects.toThrow('The database cannot do this');
      await delay(1_000); // of the last probe
      await expect(app.get(Database).checkReadiness()).rejects.toThrow('The database cannot do this');
    } finally {
      await app.close();
      await owner.query(`DROP OWNED BY ${name}`);
      await owner.query(`DROP ROLE ${name}`);
      await owner.end();
    }
  });

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
