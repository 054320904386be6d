import type { QueryRunner } from 'typeorm';
import { ConfigError } from '../common/config/load-config.js';

/**
 * Refuses a database that would count, cut or garble text. Nothing but a new database changes its encoding, so the
 * process ends and says so: to wait for that, unready and with a line in the log, would only hide it.
 */
export async function requireUtf8(runner: QueryRunner): Promise<void> {
  const [{ server, client }] = (await runner.query(
    "SELECT current_setting('server_encoding') AS server, current_setting('client_encoding') AS client",
  )) as [{ server: string; client: string }];
  if (server !== 'UTF8') {
    throw new ConfigError([
      `DATABASE_URL names a database with the encoding ${server}; it must be UTF8: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
    ]);
  }
  if (client !== 'UTF8') {
    throw new ConfigError([
      `DATABASE_URL names a database or a role with client_encoding = ${client}; it must be UTF8: ALTER DATABASE … RESET client_encoding, ALTER ROLE … RESET client_encoding`,
    ]);
  }
}
