import { distribution } from '../../../database/citus.js';

export const recordsDistributions = [
  distribution('DistributeIdempotencyRecords1796000000003', [
    `SELECT create_distributed_table('idempotency_records', 'digest', colocate_with := 'none', shard_count := 8)`,
  ]),
];
