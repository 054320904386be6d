import type { QueryRunner } from 'typeorm';
import { ConfigError } from '../common/config/load-config.js';

/** Other encodings would count, cut or garble text. Only a new database changes the encoding, so the process exits. */
export async function requireUtf8(runner: QueryRunner): Promise<void> {
  const [{ encoding }] = (await runner.query("SELECT current_setting('server_encoding') AS encoding")) as [
    { encoding: string },
  ];
  if (encoding === 'UTF8') return;
  throw new ConfigError([
    `DATABASE_URL names a database with the encoding ${encoding}; it must be UTF8: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0`,
  ]);
}
