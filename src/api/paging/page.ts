/** A part of a list in ascending order of id, and whether more follows. */
export class Page<T extends { id: bigint }> {
  constructor(
    readonly items: T[],
    readonly hasMore: boolean,
  ) {}

  /** Cuts a page from rows that were asked for with one more than the limit. */
  static of<T extends { id: bigint }>(rows: T[], limit: number): Page<T> {
    return new Page(rows.slice(0, limit), rows.length > limit);
  }

  map<U extends { id: bigint }>(change: (item: T) => U): Page<U> {
    return new Page(this.items.map(change), this.hasMore);
  }

  /** Where the next page begins: after the last id of this one. */
  get next(): bigint | undefined {
    return this.hasMore ? this.items.at(-1)?.id : undefined;
  }
}
