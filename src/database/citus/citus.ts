import type { Distribution } from '../distribution.js';
import { distribute } from './distribute.js';
import { insertOf } from './insert-of.js';
import { mayBeStored } from './node-errors.js';
import { CitusNodes } from './nodes.js';
import { postponeReferences } from './postpone-references.js';
import { requireCluster } from './require-cluster.js';
import { bringSequencesAhead } from './sequences.js';
import { CitusWorker } from './worker.js';

/** Writes go to the coordinator of a Citus cluster, and reads to the workers that are named as standbys. */
export const CITUS: Distribution = {
  readConnections: 4,
  insertOf,
  mayBeStored,
  requireCluster,
  postponeReferences,
  distribute,
  onConnect: bringSequencesAhead,
  nodes: (config) => new CitusNodes(config),
  follower: (askCoordinator) => new CitusWorker(askCoordinator),
};
