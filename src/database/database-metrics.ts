import { Injectable } from '@nestjs/common';
import { Metrics } from '../observability/metrics.js';
import { Availability } from './availability.js';
import { StatementQueues } from './batching/statement-queues.js';
import type { Standby } from './standbys/standby.js';
import type { StandbyReads } from './standbys/standby-reads.js';

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
    metrics.gauge(
      'database_connections_overdue',
      'Open connections whose answer is overdue.',
      () => availability.overdue.size,
    );
    if (queues.standbys) registerStandbys(metrics, queues.standbys);
  }
}

function registerStandbys(metrics: Metrics, reads: StandbyReads): void {
  const perStandby = (
    kind: 'gauge' | 'total',
    name: string,
    help: string,
    read: (standby: Standby) => number,
  ) => metrics.each(kind, name, help, 'standby', () => reads.standbys.map((each) => [each.name, read(each)]));
  perStandby('gauge', 'database_standby_up', 'Processes that send reads to the standby.', (standby) =>
    Number(standby.isAvailable),
  );
  perStandby(
    'gauge',
    'database_standby_lag_bytes',
    'The log that the standby had not replayed when it was last asked.',
    ({ lag }) => lag,
  );
  perStandby(
    'total',
    'database_standby_reads_total',
    'Reads that the standby answered.',
    ({ reads }) => reads,
  );
  metrics.total(
    'database_standby_fallbacks_total',
    'Reads that the primary answered because no standby could.',
    () => reads.fallbacks,
  );
}
