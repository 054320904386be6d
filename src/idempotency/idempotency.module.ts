import { Global, Module } from '@nestjs/common';
import { KeyedRequests } from '../api/responses/repeatable.decorator.js';
import { DatabaseModule } from '../database/database.module.js';
import { AnswerRecords } from './answer-records.js';
import { ExpiredRecords } from './expired-records.js';
import { CreateIdempotencyRecords1795340000001 } from './migrations/1795340000001-create-idempotency-records.js';
import { RecordedAnswers } from './recorded-answers.js';

/** Requests that can be repeated: the first success of each Idempotency-Key is stored with its change. */
@Global()
@Module({
  imports: [
    DatabaseModule.forFeature([], [CreateIdempotencyRecords1795340000001], { idempotency_records: 'digest' }),
  ],
  providers: [AnswerRecords, ExpiredRecords, { provide: KeyedRequests, useClass: RecordedAnswers }],
  exports: [KeyedRequests],
})
export class IdempotencyModule {}
