import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The metrics of one application; a test process runs several. */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  /** The one of that name, if there is one. */
  counter<L extends string>(name: string, help: string, labelNames: L[] = []): Counter<L> {
    const known = this.registry.getSingleMetric(name) as Counter<L> | undefined;
    return known ?? new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  histogram<L extends string>(name: string, help: string, labelNames: L[], buckets: number[]): Histogram<L> {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
  }

  /** A value that goes up and down, read at each scrape. */
  gauge(name: string, help: string, read: () => number): void {
    const collect = (): void => gauge.set(read());
    const gauge = new Gauge({ name, help, registers: [this.registry], collect });
  }
}
