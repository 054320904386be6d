import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';

/**
 * The metrics registry of one application; a test process runs several. Count frequent events in a plain number and
 * register it with `total`, which reads it only when Prometheus scrapes.
 */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  /** Registers a value that goes up and down, read at each scrape. The values of several workers are added up, or the least counts. */
  gauge(name: string, help: string, read: () => number, aggregator: 'sum' | 'min' = 'sum'): void {
    this.registry.registerMetric(
      new Gauge({
        name,
        help,
        aggregator,
        registers: [],
        collect() {
          this.set(read());
        },
      }),
    );
  }

  /** Registers a number that the caller counts, read at each scrape. */
  total(name: string, help: string, read: () => number): void {
    this.registry.registerMetric(
      new Counter({
        name,
        help,
        registers: [],
        collect() {
          this.reset();
          this.inc(read());
        },
      }),
    );
  }

  /** Registers a value per value of a label. Those of several workers are added up. */
  each(
    kind: 'gauge' | 'total',
    name: string,
    help: string,
    label: string,
    read: () => [string, number][],
  ): void {
    const { registry } = this;
    const options = { name, help, labelNames: [label], registers: [] };
    const metric = kind === 'gauge' ? new Gauge(options) : new Counter(options);
    const collect = (): void => {
      metric.reset();
      for (const [value, number] of read()) metric.inc({ [label]: value }, number);
    };
    registry.registerMetric(Object.assign(metric, { collect }));
  }

  counter<L extends string>(name: string, help: string, labelNames: L[] = []): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }
}
