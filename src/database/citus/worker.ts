import type pg from 'pg';
import type { Statement } from '../batching/statement.js';
import type { Ask } from '../distribution.js';
import type { Follower } from '../standbys/follower.js';
import { SERVER } from '../server/server-identity.js';
import { STANDBY_LIMITS } from '../standbys/standby-limits.js';

/** Of the server and database that answers, from the server's start to its end. */
const IDENTITY = `(${SERVER})::text || ' ' || current_database()`;

const NODE = `
  SELECT nodeid::text AS id, ${IDENTITY} AS identity FROM pg_dist_node
  WHERE groupid = (SELECT groupid FROM pg_dist_local_group) AND groupid > 0`;

const QUESTION = { text: NODE, query_timeout: STANDBY_LIMITS.answerMs };
/** Short, because after it the coordinator may wait for the same silent node. */
const ANSWER_MS = 100;

interface Node {
  readonly id: string;
  readonly identity: string;
}

const IDENTITY_OF_NODE: Statement = {
  name: 'identity of node',
  text: `
    SELECT nodename, nodeport::text, answer.success, answer.result FROM pg_dist_node,
      master_run_on_worker(ARRAY[nodename], ARRAY[nodeport], ARRAY['SELECT ${IDENTITY.replaceAll("'", "''")}'], false) AS answer
    WHERE nodeid = $1`,
  properties: ['host', 'port', 'success', 'result'],
};

/** From before a shard moves until it is dropped where it was, there is something to clean up. */
const IS_CURRENT: Statement = {
  name: 'node is current',
  text: `
    SELECT nodeid FROM pg_dist_node
    WHERE nodeid = $1 AND nodename = $2 AND nodeport = $3
      AND isactive AND metadatasynced AND NOT EXISTS (SELECT FROM pg_dist_cleanup)`,
  properties: ['id'],
};

/**
 * A worker that answers reads. It sees what is committed, as the coordinator does, while it belongs to the cluster and no
 * shard moves: until it learns of that, it would read where the shard was.
 */
export class CitusWorker implements Follower {
  readonly answerMs = ANSWER_MS;
  readonly lag = 0;
  /** The nodes of the cluster to which these connections lead: number, host and port. */
  private readonly nodes = new WeakMap<pg.ClientBase, readonly unknown[]>();

  constructor(private readonly askCoordinator: Ask) {}

  async catchUp(client: pg.ClientBase): Promise<void> {
    const node = this.nodes.get(client) ?? (await this.identify(client));
    const rows = await this.askCoordinator(IS_CURRENT, node);
    if (rows.length === 0) throw new Error('the cluster does not use it, or moves shards (pg_dist_cleanup)');
  }

  follow(client: pg.ClientBase): Promise<void> {
    return this.catchUp(client);
  }

  private async identify(client: pg.ClientBase): Promise<readonly unknown[]> {
    const [node] = (await client.query<Node>(QUESTION)).rows;
    if (!node) throw new Error('it is no worker');
    const [known] = await this.askCoordinator(IDENTITY_OF_NODE, [node.id]);
    if (known?.['success'] === false)
      throw new Error(`the coordinator could not ask it: ${String(known['result'])}`);
    if (known?.['result'] !== node.identity) throw new Error('it is no worker of this cluster');
    const found = [node.id, known['host'], known['port']];
    this.nodes.set(client, found);
    return found;
  }
}
