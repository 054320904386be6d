import { LRUCache } from 'lru-cache';
import { refusesStatement } from '../database/database-errors.js';
import { requireTime, withinLimits } from '../database/within-limits.js';

/** Few, as each takes a place in a batch. */
const MOST_STATEMENTS = 4;

/** The rows of two pages. Where more are refused, they are hardly faulty, and are to share statements as soon as it is over. */
const MOST_APART = 128;

type Found<T> = ReadonlyMap<string, T>;
type Line = (() => void)[];

interface Shared<T> {
  readonly hashes: Buffer[];
  readonly rows: Promise<Found<T>>;
}

/**
 * Looks rows up by their hash. While as many statements are under way as there may be, those that are asked for share the
 * next one: after a start, a process has to look up all keys, which must not take all places of the batches of a slow
 * database. They share its failure, too, unless a row may be the cause, such as one on a damaged page: then each is asked
 * for alone, and later the faulty ones only.
 */
export class LookUps<T> {
  private next: Shared<T> | undefined;
  private underWay = 0;
  private readonly forShared: Line = [];
  private readonly forAlone: Line = [];
  /** The line that gets the next place comes first. They take turns, so that neither waits for all of the other. */
  private lines: [Line, Line] = [this.forShared, this.forAlone];
  /** Hashes that the database refused alone: until it finds them, they share no statement. */
  private readonly apart = new LRUCache<string, true>({ max: MOST_APART });

  constructor(
    private readonly readAll: (hashes: readonly Buffer[]) => Promise<readonly T[]>,
    private readonly hashOf: (row: T) => Buffer,
  ) {}

  async find(hash: Buffer): Promise<T | null> {
    const begun = performance.now();
    const isApart = this.apart.has(nameOf(hash));
    const rows = await withinLimits(begun, isApart ? this.alone(hash, begun) : this.shared(hash, begun));
    return rows.get(nameOf(hash)) ?? null;
  }

  private async shared(hash: Buffer, begun: number): Promise<Found<T>> {
    const { hashes, rows } = (this.next ??= this.begin());
    hashes.push(hash);
    try {
      return await rows;
    } catch (error) {
      if (!refusesStatement(error)) throw error;
      if (hashes.length > 1) return this.alone(hash, begun);
      this.apart.set(nameOf(hash), true);
      throw error;
    }
  }

  private begin(): Shared<T> {
    const hashes: Buffer[] = [];
    const take = (): Buffer[] => {
      this.next = undefined;
      return hashes;
    };
    return { hashes, rows: this.inPlace(this.forShared, () => this.read(take())) };
  }

  private alone(hash: Buffer, begun: number): Promise<Found<T>> {
    return this.inPlace(this.forAlone, async () => {
      requireTime(begun);
      try {
        const rows = await this.read([hash]);
        this.apart.delete(nameOf(hash));
        return rows;
      } catch (error) {
        if (refusesStatement(error)) this.apart.set(nameOf(hash), true);
        throw error;
      }
    });
  }

  private async inPlace<R>(line: Line, run: () => Promise<R>): Promise<R> {
    await new Promise<void>((resolve) => {
      line.push(resolve);
      this.fillPlaces();
    });
    try {
      return await run();
    } finally {
      this.underWay--;
      this.fillPlaces();
    }
  }

  private fillPlaces(): void {
    while (this.underWay < MOST_STATEMENTS) {
      const [first, second] = this.lines;
      const [line, other] = first.length > 0 ? [first, second] : [second, first];
      const enter = line.shift();
      if (!enter) return;
      this.lines = [other, line];
      this.underWay++;
      enter();
    }
  }

  private async read(hashes: readonly Buffer[]): Promise<Found<T>> {
    const rows = await this.readAll(hashes);
    return new Map(rows.map((row) => [nameOf(this.hashOf(row)), row]));
  }
}

function nameOf(hash: Buffer): string {
  return hash.toString('base64');
}
