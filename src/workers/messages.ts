import type { Worker } from 'node:cluster';
import type { Grant, PermitRequest } from '../rate-limit/permits.js';

/** A metric as `Registry.getMetricsAsJSON` returns it. */
export interface MetricValues {
  readonly name: string;
  readonly type: string | number;
  readonly aggregator?: string;
}

export type ToWorker =
  | { readonly type: 'stop'; readonly signal: NodeJS.Signals }
  | { readonly type: 'retire' }
  | { readonly type: 'collect' }
  | { readonly type: 'grant'; readonly id: number; readonly grant: Grant };

export type ToPrimary =
  /** The worker receives messages. Earlier ones are lost. */
  | { readonly type: 'reachable' }
  | { readonly type: 'started' }
  | { readonly type: 'collected'; readonly metrics: MetricValues[] }
  | { readonly type: 'ask'; readonly id: number; readonly request: PermitRequest };

/** Does nothing for a worker that is about to end. */
export function sendTo(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => {});
}
