import { Global, Module } from '@nestjs/common';
import { distribution } from '../database/citus.js';
import { DatabaseModule } from '../database/database.module.js';
import { IdempotencyRecord, IdempotencyRecords } from './idempotency/idempotency-records.js';
import { CreateIdempotencyRecords1795340000001 } from './idempotency/migrations/1795340000001-create-idempotency-records.js';

const distribute = distribution('DistributeIdempotencyRecords1796000000003', [
  `SELECT create_distributed_table('idempotency_records', 'digest', colocate_with := 'none', shard_count := 8)`,
]);

/** The providers that guards of operations inject. */
@Global()
@Module({
  imports: [DatabaseModule.forFeature([IdempotencyRecord], [CreateIdempotencyRecords1795340000001, distribute])],
  providers: [IdempotencyRecords],
  exports: [IdempotencyRecords],
})
export class ApiModule {}
