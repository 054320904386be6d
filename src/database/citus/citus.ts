import type { Distribution } from '../distribution.js';
import { distribute } from './distribute.js';
import { insertOf } from './insert-of.js';
import { mayBeStored } from './node-errors.js';
import { CitusNodes } from './nodes.js';
import { requireCluster } from './require-cluster.js';

/** All connections go to the coordinator of a Citus cluster, which asks the nodes. */
export const CITUS: Distribution = {
  readConnections: 4,
  insertOf,
  mayBeStored,
  requireCluster,
  distribute,
  nodes: (config) => new CitusNodes(config),
};
