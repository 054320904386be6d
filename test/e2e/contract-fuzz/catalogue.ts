import { parse } from 'lossless-json';
import type { Meaning } from './values.js';

/** An animal as JSON, with exact numbers. */
export type Animal = Readonly<Record<string, Meaning>>;

/** The model of the service: the simplest implementation of the contract. */
export class Catalogue {
  private readonly animals: Animal[] = [];

  /** The service chooses the id; it only has to be greater than the last one. */
  add(animal: Animal): void {
    const last = this.animals.at(-1)?.['id'] ?? 0n;
    if (!(animal['id']! > last)) throw new Error(`The id ${animal['id']} is not greater than ${last}`);
    this.animals.push(animal);
  }

  find(id: Meaning | undefined): Animal | undefined {
    return this.animals.find((animal) => animal['id'] === id);
  }

  page({ limit = 20n, status, after }: Record<string, Meaning>): { items: Animal[]; hasMore: boolean } {
    const matching = this.animals.filter(
      (animal) =>
        (status === undefined || animal['status'] === status) &&
        (after === undefined || animal['id']! > after),
    );
    return { items: matching.slice(0, Number(limit)), hasMore: matching.length > Number(limit) };
  }

  all(filter: Record<string, Meaning> = {}): Animal[] {
    return this.page({ ...filter, limit: BigInt(this.animals.length) }).items;
  }
}

/** Parses a body without losing digits. */
export function exact(text: string): unknown {
  return parse(text, undefined, BigInt);
}
