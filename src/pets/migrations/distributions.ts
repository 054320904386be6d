import { distribution } from '../../database/citus.js';

/** A page asks every shard, and as many workers as there are shards can share them. */
export const petsDistributions = [
  distribution('DistributePets1796000000001', [`SELECT create_distributed_table('pets', 'id', shard_count := 8)`]),
];
