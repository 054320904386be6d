/** How many requests of each network there are. Networks without one take no memory. */
export class NetworkCounts {
  /** Of all networks. */
  total = 0;
  private readonly counts = new Map<string, number>();

  of(network: string): number {
    return this.counts.get(network) ?? 0;
  }

  add(network: string): void {
    this.total++;
    this.counts.set(network, this.of(network) + 1);
  }

  remove(network: string): void {
    this.total--;
    const others = this.of(network) - 1;
    if (others > 0) this.counts.set(network, others);
    else this.counts.delete(network);
  }
}
