import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { DatabaseModule } from '../database/database.module.js';
import { IdempotencyRecord } from './idempotency/idempotency-record.entity.js';
import { IdempotencyRecords } from './idempotency/idempotency-records.js';
import { CreateIdempotencyRecords1795340000001 } from './idempotency/migrations/1795340000001-create-idempotency-records.js';
import { recordsDistributions } from './idempotency/migrations/distributions.js';

/** What the decorators of operations need from the container. */
@Global()
@Module({
  imports: [
    DiscoveryModule,
    DatabaseModule.forFeature([IdempotencyRecord], [CreateIdempotencyRecords1795340000001], recordsDistributions),
  ],
  providers: [IdempotencyRecords],
  exports: [IdempotencyRecords],
})
export class ApiModule {}
