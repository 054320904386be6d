import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../../observability/metrics.js';

/** More names than an operator will write to; any that come later are counted together. */
const NAMES = 200;

/** Who still calls deprecated operations, by the names of their keys. */
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
