import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'node:cluster';
import { AggregatorRegistry, Counter, Registry } from 'prom-client';
import { CLOSED_CONNECTIONS } from '../edge/http/connections.js';
import { type MetricValues, sendTo } from './messages.js';

/** For workers whose event loop is blocked: their previous values count. */
const PATIENCE_MS = 1_000;
const TOTALS = new Set(['counter', 'histogram']);

/**
 * Adds up the metrics of all workers. The totals of workers that ended stay in the sum, as far as they were collected:
 * Prometheus would take a sum that falls for a restart, and report all of it as an increase.
 */
export class WorkerMetrics {
  private readonly latest = new Map<number, MetricValues[]>();
  private past: object[] = [];
  private readonly own = new Registry();
  /** Counts connections that this process closed. */
  readonly closed = new Counter({ ...CLOSED_CONNECTIONS, registers: [this.own] });
  private readonly onCollected = new Map<number, () => void>();

  /** Returns the page for Prometheus. */
  async collect(workers: Worker[]): Promise<string> {
    const answers = workers.map(
      (worker) => new Promise<void>((resolve) => this.onCollected.set(worker.id, resolve)),
    );
    for (const worker of workers) sendTo(worker, { type: 'collect' });
    const patience = new AbortController();
    await Promise.race([
      Promise.all(answers),
      delay(PATIENCE_MS, undefined, { signal: patience.signal }).catch(() => {}),
    ]);
    patience.abort();
    const own = await this.own.getMetricsAsJSON();
    return AggregatorRegistry.aggregate([...this.latest.values(), this.past, own]).metrics();
  }

  receive({ id }: Worker, metrics: MetricValues[]): void {
    this.latest.set(id, metrics.map(withAggregator));
    this.onCollected.get(id)?.();
  }

  forget({ id }: Worker): void {
    const totals = this.latest.get(id)?.filter(({ type }) => TOTALS.has(String(type))) ?? [];
    this.past = AggregatorRegistry.aggregate([this.past, totals]).getMetricsAsArray();
    this.latest.delete(id);
    this.onCollected.get(id)?.();
    this.onCollected.delete(id);
  }
}

/** The slowest event loop and the latest start are what alerts look for. prom-client has the average, and no start. */
function withAggregator(metric: MetricValues): MetricValues {
  const isGreatest = /^(nodejs_eventloop_lag|process_start_time)/.test(metric.name);
  return isGreatest && metric.aggregator !== 'min' ? { ...metric, aggregator: 'max' } : metric;
}
