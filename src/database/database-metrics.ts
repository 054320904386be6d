import { Injectable } from '@nestjs/common';
import { Metrics } from '../observability/metrics.js';
import { Availability } from './availability.js';
import { StatementQueues } from './batching/statement-queues.js';

@Injectable()
export class DatabaseMetrics {
  constructor(metrics: Metrics, availability: Availability, queues: StatementQueues) {
    metrics.gauge(
      'database_up',
      '1 while the database can be used.',
      () => Number(availability.isAvailable),
      'min',
    );
    metrics.gauge('database_queue_length', 'Statements that wait to be sent.', () => queues.load.waiting);
    metrics.gauge(
      'database_batches_under_way',
      'Batches of statements that wait for their answer.',
      () => queues.load.underWay,
    );
    metrics.gauge('database_connections', 'Open connections for requests.', () => queues.load.connections);
  }
}
