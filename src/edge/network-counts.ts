/** How many requests of each network there are. Networks without one take no memory. */
export class NetworkCounts {
  private readonly counts = new Map<string, number>();

  of(network: string): number {
    return this.counts.get(network) ?? 0;
  }

  add(network: string): void {
    this.counts.set(network, this.of(network) + 1);
  }

  remove(network: string): void {
    const others = this.of(network) - 1;
    if (others > 0) this.counts.set(network, others);
    else this.counts.delete(network);
  }
}
