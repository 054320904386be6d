import {
  Histogram,
  type HistogramConfiguration,
  type MetricObjectWithValues,
  type MetricValueWithName,
} from 'prom-client';

/** What was seen of one thing: how often, how much in all, and how often up to each bound and above the one before. */
export class Tally {
  count = 0;
  sum = 0;
  readonly upTo: Float64Array;

  constructor(
    readonly labels: Readonly<Record<string, string>>,
    private readonly bounds: readonly number[],
  ) {
    this.upTo = new Float64Array(bounds.length + 1);
  }

  add(value: number): void {
    this.count++;
    this.sum += value;
    let i = 0;
    while (i < this.bounds.length && value > (this.bounds[i] as number)) i++;
    this.upTo[i] = (this.upTo[i] as number) + 1;
  }
}

type Values = MetricObjectWithValues<MetricValueWithName<string>>;

/** Shows tallies the way Prometheus reads a histogram: each bucket holds what the smaller ones hold, too. */
export class TalliedHistogram extends Histogram {
  constructor(
    private readonly tallies: readonly Tally[],
    private readonly shape: HistogramConfiguration<string> & { buckets: number[] },
  ) {
    super(shape);
  }

  override get(): Promise<Values> {
    const { name, help } = this.shape;
    const values = this.tallies.flatMap((tally) => this.valuesOf(tally));
    return Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values } as unknown as Values);
  }

  /** What the library asks for when it writes its text form; left alone, it would write what it counted itself. */
  getForPromString(): Promise<Values> {
    return this.get();
  }

  private valuesOf({ labels, count, sum, upTo }: Tally): MetricValueWithName<string>[] {
    const { name, buckets } = this.shape;
    let seen = 0;
    return [
      ...[...buckets, '+Inf'].map((le, i) => {
        seen += upTo[i] as number;
        return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: seen };
      }),
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}
