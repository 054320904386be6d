import { Logger } from '@nestjs/common';
import type pg from 'pg';
import type { ServerClient } from '../availability.js';
import { destroyConnection, isClosed } from '../destroy-connection.js';
import { DATABASE_LIMITS } from '../limits.js';
import { RowParsingClient } from '../pg-driver.js';
import { SERVER } from './server-identity.js';

const EVERY_MS = 10_000;
/** A connection that has just ended is missing, too. */
const CONFIRM_MS = 1_000;
/** Every role sees the ids of all processes. */
const ASK = {
  text: `SELECT (${SERVER})::text AS server, pg_backend_pid() AS own, current_setting('transaction_read_only') = 'on' AS "isReadOnly",
    ARRAY(SELECT pid FROM pg_stat_activity) AS pids`,
  query_timeout: DATABASE_LIMITS.connectMs,
};

interface Server {
  readonly server: string;
  readonly own: number;
  readonly isReadOnly: boolean;
  readonly pids: readonly number[];
}

/**
 * Notices that the database's address leads to another server while connections to the former one live on, such as beside
 * a promoted standby: statements would run on one or the other. Now and then, a new connection looks which connections its
 * server has no process for. They lead elsewhere, or their server process ended unheard, and are closed. Behind poolers,
 * whose process ids are their own, nothing is known.
 */
export class MoveWatch {
  private readonly logger = new Logger('Database');
  private lookAt = performance.now() + EVERY_MS;
  private client: pg.Client | undefined;
  private missing: readonly ServerClient[] = [];

  constructor(
    private readonly config: pg.ClientConfig,
    private readonly connections: ReadonlySet<ServerClient>,
    /** Called when some lead elsewhere, as the heartbeat's own may, too. */
    private readonly found: () => void,
  ) {}

  /** Called with every heartbeat. */
  check(): void {
    if (performance.now() < this.lookAt) return;
    this.lookAt = performance.now() + EVERY_MS;
    this.look().catch(() => {}); // what is there goes on
  }

  stop(): void {
    if (this.client) destroyConnection(this.client);
  }

  private async look(): Promise<void> {
    const client: pg.Client & Partial<ServerClient> = new RowParsingClient(this.config);
    this.client = client;
    const before = [...this.connections];
    try {
      await client.connect();
      const { rows } = await client.query<Server>(ASK);
      const [found] = rows as [Server];
      const { own, pids, isReadOnly } = found;
      const isComparable = own === client.processID && pids.includes(own) && !isReadOnly;
      this.compare(isComparable ? before.filter((each) => !isOf(found, each)) : []);
    } finally {
      this.client = undefined;
      client.end().catch(() => {});
    }
  }

  private compare(missing: readonly ServerClient[]): void {
    const { size } = this.connections;
    const open = missing.filter((client) => this.connections.has(client) && !isClosed(client));
    const foreign = open.filter((client) => this.missing.includes(client));
    this.missing = open.filter((client) => !foreign.includes(client));
    if (this.missing.length > 0) this.lookAt = performance.now() + CONFIRM_MS;
    if (open.length > 0) this.found();
    if (foreign.length === 0) return;
    for (const client of foreign) destroyConnection(client);
    this.logger.warn(
      `Closed ${foreign.length} of ${size} connections for which the database has no process: they were lost, or its address led to another server before.`,
    );
  }
}

/** Servers in containers give their processes the same ids. */
function isOf({ server, pids }: Server, client: ServerClient): boolean {
  return pids.includes(client.processID ?? 0) && (client.server ?? server) === server;
}
