/** Where a page ends: the id of its last item, its value of the unique field that orders the list, or its `Position`. */
export type Cursor = bigint | string;

/** A page of a list. */
export class Page<T> {
  constructor(
    readonly items: T[],
    /** The value of `after` for the next page; undefined on the last one. */
    readonly nextCursor: Cursor | undefined,
  ) {}

  /** Expects one row more than the limit, if there is one: it tells whether another page follows. */
  static of<T>(rows: T[], limit: number, by: keyof T): Page<T> {
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return new Page(rows.slice(0, limit), last?.[by] as Cursor | undefined);
  }

  map<U>(change: (item: T) => U): Page<U> {
    return new Page(this.items.map(change), this.nextCursor);
  }
}
