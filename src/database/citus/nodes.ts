import type pg from 'pg';
import type { ClusterNodes, NodesSeen } from '../distribution.js';
import { PLAIN_DRIVER } from '../pg-driver.js';
import { QUERY_CANCELED } from '../sqlstate.js';

const MOST_AT_ONCE = 8;
const IDLE_MS = 5_000;

interface Node {
  readonly host: string;
  readonly port: number;
}

/** On connections of its own: a silent node holds one up until the statement timeout. */
export class CitusNodes implements ClusterNodes {
  private readonly pool: pg.Pool;
  /** Those that were silent at the last check. Being slow once is no outage. */
  private readonly silent = new Set<string>();

  constructor(config: pg.ClientConfig) {
    this.pool = new PLAIN_DRIVER.Pool({ ...config, max: MOST_AT_ONCE, idleTimeoutMillis: IDLE_MS });
    this.pool.on('error', () => {}); // an idle connection broke, and the pool has already removed it
  }

  async check(): Promise<NodesSeen> {
    const { rows } = await this.pool.query<Node>(
      'SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE isactive AND groupid > 0 ORDER BY 1, 2',
    );
    const answers = await Promise.all(rows.map((node) => this.answers(node)));
    const those = (present: boolean): string[] => rows.filter((_, i) => answers[i] === present).map(nameOf);
    return { present: those(true), missing: those(false) };
  }

  async close(): Promise<void> {
    await this.pool.end();
  }

  private async answers(node: Node): Promise<boolean> {
    const { host, port } = node;
    const wasSilent = this.silent.delete(nameOf(node));
    try {
      const { rows } = await this.pool.query<{ answers: boolean }>(
        'SELECT citus_check_connection_to_node($1, $2::int) AS answers',
        [host, port],
      );
      return rows[0]?.answers === true;
    } catch (error) {
      if ((error as { code?: unknown }).code !== QUERY_CANCELED) throw error;
      this.silent.add(nameOf(node));
      return !wasSilent;
    }
  }
}

function nameOf({ host, port }: Node): string {
  return `${host}:${port}`;
}
