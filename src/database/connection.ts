import type { Config } from '../common/config/config.js';
import { type EmbeddedDatabase, openEmbeddedDatabase } from './embedded/embedded-database.js';

/** Where the data is: in a PostgreSQL server, or in the embedded engine of this process. */
export type DatabaseConnection =
  | { readonly kind: 'server'; readonly url: string; readonly poolSize: number }
  | { readonly kind: 'embedded'; readonly engine: EmbeddedDatabase };

export async function connectionFor(config: Config): Promise<DatabaseConnection> {
  return config.databaseUrl
    ? { kind: 'server', url: config.databaseUrl, poolSize: config.databasePoolSize }
    : { kind: 'embedded', engine: await openEmbeddedDatabase(config.databaseDirectory) };
}
