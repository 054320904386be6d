import type { QueryRunner } from 'typeorm';
import type { ServerConnection } from './connection.js';
import { DatabaseOutage } from './database-errors.js';
import { destroyConnection } from './destroy-connection.js';
import { DATABASE_LIMITS } from './limits.js';
import { RowParsingClient } from './pg-driver.js';
import { serverClient } from './server/server-client.js';
import { ASK_SERVER } from './server/server-identity.js';

interface Identity {
  readonly server: string;
}
const ASK = { text: ASK_SERVER, query_timeout: DATABASE_LIMITS.connectMs };

/**
 * Migrations of another database would leave that of the requests without its tables. While a primary is replaced, the two
 * addresses may differ for a moment.
 */
export async function requireSameDatabase(direct: QueryRunner, connection: ServerConnection): Promise<void> {
  if (connection.url === connection.directUrl) return;
  const client = new RowParsingClient(serverClient(connection));
  try {
    await client.connect();
    const { rows } = await client.query<Identity>(ASK);
    const [other] = (await direct.query(ASK_SERVER)) as Identity[];
    if (rows[0]?.server !== other?.server)
      throw new DatabaseOutage('DATABASE_DIRECT_URL leads to another database than DATABASE_URL.');
  } finally {
    destroyConnection(client);
  }
}
