import type pg from 'pg';
import type { ServerClient } from '../availability.js';
import { destroyConnection, isClosed } from '../destroy-connection.js';
import { DATABASE_LIMITS } from '../limits.js';
import { RowParsingClient } from '../pg-driver.js';

const EVERY_MS = 10_000;
/** A connection that has just ended is missing, too. */
const CONFIRM_MS = 1_000;
/** Every role sees the ids of all processes. */
const ASK = {
  text: `SELECT pg_backend_pid() AS own, current_setting('transaction_read_only') = 'on' AS "isReadOnly",
    ARRAY(SELECT pid FROM pg_stat_activity) AS pids`,
  query_timeout: DATABASE_LIMITS.connectMs,
};

interface Server {
  readonly own: number;
  readonly isReadOnly: boolean;
  readonly pids: readonly number[];
}

/**
 * Notices that the database's address leads to another server while connections to the former one live on, such as beside
 * a promoted standby: statements would run on one or the other. Now and then, a new connection looks whether its server
 * has the processes of all others. Behind poolers, whose process ids are their own, nothing is known.
 */
export class MoveWatch {
  private lookAt = performance.now() + EVERY_MS;
  private client: pg.Client | undefined;
  private missing: readonly ServerClient[] = [];
  private hasMoved = false;

  constructor(
    private readonly config: pg.ClientConfig,
    private readonly connections: ReadonlySet<ServerClient>,
  ) {}

  /** Called with every heartbeat. @throws if connections lead elsewhere than new ones */
  check(): void {
    if (this.hasMoved) {
      this.hasMoved = false;
      throw new Error('its address leads to another server, to which all connections follow');
    }
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
      const [{ own, isReadOnly, pids }] = rows as [Server];
      const isComparable = own === client.processID && pids.includes(own) && !isReadOnly;
      this.compare(isComparable ? before.filter(({ processID = 0 }) => !pids.includes(processID)) : []);
    } finally {
      this.client = undefined;
      client.end().catch(() => {});
    }
  }

  private compare(missing: readonly ServerClient[]): void {
    const open = missing.filter((client) => this.connections.has(client) && !isClosed(client));
    this.hasMoved = open.some((client) => this.missing.includes(client));
    this.missing = this.hasMoved ? [] : open;
    if (this.missing.length > 0) this.lookAt = performance.now() + CONFIRM_MS;
  }
}
