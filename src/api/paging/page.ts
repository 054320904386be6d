/** A page of a list in ascending order of id. */
export class Page<T extends { id: bigint }> {
  constructor(
    readonly items: T[],
    readonly hasMore: boolean,
  ) {}

  /** Expects one row more than the limit, if there is one: it tells whether another page follows. */
  static of<T extends { id: bigint }>(rows: T[], limit: number): Page<T> {
    return new Page(rows.slice(0, limit), rows.length > limit);
  }

  map<U extends { id: bigint }>(change: (item: T) => U): Page<U> {
    return new Page(this.items.map(change), this.hasMore);
  }

  /** The value of `after` for the next page. */
  get nextCursor(): bigint | undefined {
    return this.hasMore ? this.items.at(-1)?.id : undefined;
  }
}
