import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../../observability/metrics.js';

/** Bounds the number of time series; all further names share the label "other". */
const NAMES = 200;

/** Counts calls of deprecated operations by key name, which tells operators whom to contact. */
@Injectable()
export class DeprecatedCalls {
  private readonly calls: Counter<'operation' | 'key'>;
  private readonly names = new Set<string>();

  constructor(metrics: Metrics) {
    this.calls = metrics.counter(
      'deprecated_operation_calls_total',
      `Calls of deprecated operations by the name of the key; names beyond the first ${NAMES} are "other".`,
      ['operation', 'key'],
    );
  }

  count(operation: string, key: string): void {
    if (this.names.size < NAMES) this.names.add(key);
    this.calls.inc({ operation, key: this.names.has(key) ? key : 'other' });
  }
}
