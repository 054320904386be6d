import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Registry } from 'prom-client';

/**
 * The numbers of one application. Any part of it registers its own; a registry for each, since several applications
 * may live in a process. What changes often is best counted in a plain number, which is read when somebody looks.
 */
@Injectable()
export class Metrics {
  readonly registry = new Registry();

  /** A number that goes up and down, read when somebody looks. */
  gauge(name: string, help: string, read: () => number): void {
    this.registry.registerMetric(
      new Gauge({
        name,
        help,
        registers: [],
        collect() {
          this.set(read());
        },
      }),
    );
  }

  /** A number that only goes up and that somebody counts already, read when somebody looks. */
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

  /** Something to count, by labels. */
  counter<L extends string>(name: string, help: string, labelNames: L[] = []): Counter<L> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }
}
