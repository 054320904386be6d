import { parse } from 'lossless-json';
import type { Meaning } from './values.js';

/** An item of a collection as JSON, with exact numbers. */
export type Item = Readonly<Record<string, Meaning>>;

/** The order of a list. */
export interface Order {
  /** The value of `after` for what follows an item. */
  position(item: Item): Meaning;
  /** Compares two positions. */
  compare(a: Meaning, b: Meaning): number;
}

export const BY_ID = orderBy('id', (a, b) => (a! < b! ? -1 : Number(a! > b!)));

export function orderBy(field: string, compare: Order['compare']): Order {
  return { position: (item) => item[field]!, compare };
}

/** The latest first. */
export function latestBy(field: string): Order {
  const read = (position: Meaning) => (position as string).split('_').map(BigInt) as [bigint, bigint];
  return {
    position: (item) => `${Date.parse(item[field] as string)}_${item['id'] as bigint}`,
    compare(a, b) {
      const [[time, id], [otherTime, otherId]] = [read(a), read(b)];
      return Number(otherTime - time || otherId - id);
    },
  };
}

/** The model of a resource: the simplest implementation of the contract. */
export class Catalogue {
  private items: Item[] = [];
  private lastId = 0n;

  /** The service chooses the id; it only has to be greater than every earlier one. */
  add(item: Item): void {
    const id = item['id'] as bigint;
    if (!(id > this.lastId)) throw new Error(`The id ${id} is not greater than ${this.lastId}`);
    this.lastId = id;
    this.items.push(item);
  }

  find(id: Meaning | undefined): Item | undefined {
    return this.items.find((item) => item['id'] === id);
  }

  replace(changed: Item): void {
    this.items = this.items.map((item) => (item['id'] === changed['id'] ? changed : item));
  }

  remove(id: Meaning | undefined): void {
    this.items = this.items.filter((item) => item['id'] !== id);
  }

  /** Takes over what the service holds, after a change of another resource that this one is related to. */
  reset(items: Item[]): void {
    this.items = items;
  }

  /** Parameters other than `limit` and `after` filter by the field of their name; those with a list, by its singular. */
  page(
    { limit = 20n, after, ...filters }: Record<string, Meaning>,
    { position, compare }: Order = BY_ID,
  ): { items: Item[]; hasMore: boolean } {
    const matching = this.items
      .filter(
        (item) =>
          (after === undefined || compare(position(item), after) > 0) &&
          Object.entries(filters).every(([name, wanted]) =>
            Array.isArray(wanted) ? wanted.includes(item[singular(name)]!) : item[name] === wanted,
          ),
      )
      .toSorted((a, b) => compare(position(a), position(b)));
    return { items: matching.slice(0, Number(limit)), hasMore: matching.length > Number(limit) };
  }

  all(filters: Record<string, Meaning> = {}, order = BY_ID): Item[] {
    return this.page({ ...filters, limit: BigInt(this.items.length) }, order).items;
  }
}

export function singular(name: string): string {
  return name.replace(/s$/, '');
}

/** Parses a body without losing digits: decimals have at most 15. */
export function exact(text: string): unknown {
  const read = (number: string) => (/^-?\d+$/.test(number) ? BigInt(number) : Number(number));
  return text === '' ? {} : parse(text, undefined, read);
}
