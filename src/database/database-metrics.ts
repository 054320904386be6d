import { Injectable } from '@nestjs/common';
import { Metrics } from '../observability/metrics.js';
import { Availability } from './availability.js';
import { Statements } from './batching/statements.js';

/** What an operator sees of the database from here. */
@Injectable()
export class DatabaseMetrics {
  constructor(metrics: Metrics, availability: Availability, statements: Statements) {
    metrics.gauge('database_up', '1 while the database can be used.', () => Number(availability.isAvailable));
    metrics.gauge('database_queue_length', 'Statements that wait to be sent.', () => statements.load.waiting);
    metrics.gauge(
      'database_batches_under_way',
      'Batches of statements that wait for their answer.',
      () => statements.load.underWay,
    );
    metrics.gauge(
      'database_connections',
      'Open connections for requests.',
      () => statements.load.connections,
    );
  }
}
