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

  counter<L extends string>(name: string, help: string, labelNames: L[] = []): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }
}
