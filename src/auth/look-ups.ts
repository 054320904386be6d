import { LRUCache } from 'lru-cache';
import { mayBeOfRow } from '../database/database-errors.js';
import { requireTime, withinLimits } from '../database/within-limits.js';

/** Few, as each takes a place in a batch. */
const MOST_STATEMENTS = 4;

/** The rows of two pages. Where more are refused, they are hardly faulty, and are to share statements as soon as it is over. */
const MOST_APART = 128;

type Found<T> = ReadonlyMap<string, T>;
type Line = (() => void)[];

/** Hashes that share a statement. */
interface Group<T> {
  readonly hashes: Buffer[];
  readonly rows: Promise<Found<T>>;
  /** When the last of them was asked for. */
  askedAt: number;
  halves?: readonly Group<T>[];
}

/**
 * Looks rows up by their hash. While as many statements are under way as there may be, those that are asked for share the
 * next one: after a start, a process has to look up all keys, which must not take all places of the batches of a slow
 * database. They share its failure, too, unless a row may be the cause, such as one on a damaged page: then each half is
 * asked for again, and so on, and later the faulty ones alone.
 */
export class LookUps<T> {
  private next: Group<T> | undefined;
  private underWay = 0;
  private readonly forFirst: Line = [];
  private readonly forRepeated: Line = [];
  /** The line that gets the next place comes first. They take turns, so that neither waits for all of the other. */
  private lines: [Line, Line] = [this.forFirst, this.forRepeated];
  /** Hashes that the database refused alone: until it finds them, they share no statement. */
  private readonly apart = new LRUCache<string, true>({ max: MOST_APART });

  constructor(
    private readonly readAll: (hashes: readonly Buffer[]) => Promise<readonly T[]>,
    private readonly hashOf: (row: T) => Buffer,
  ) {}

  async find(hash: Buffer): Promise<T | null> {
    const now = performance.now();
    const group = this.apart.has(nameOf(hash)) ? this.repeat([hash], now) : this.join(hash, now);
    const rows = await withinLimits(now, this.rowsOf(group, hash));
    return rows.get(nameOf(hash)) ?? null;
  }

  private async rowsOf(group: Group<T>, hash: Buffer): Promise<Found<T>> {
    try {
      const rows = await group.rows;
      if (group.hashes.length === 1) this.apart.delete(nameOf(hash));
      return rows;
    } catch (error) {
      if (!mayBeOfRow(error)) throw error;
      if (group.hashes.length === 1) {
        this.apart.set(nameOf(hash), true);
        throw error;
      }
      group.halves ??= halvesOf(group.hashes).map((half) => this.repeat(half, group.askedAt));
      return this.rowsOf(group.halves.find(({ hashes }) => hashes.includes(hash)) as Group<T>, hash);
    }
  }

  private join(hash: Buffer, now: number): Group<T> {
    this.next ??= this.begin(now);
    this.next.hashes.push(hash);
    this.next.askedAt = now;
    return this.next;
  }

  private begin(askedAt: number): Group<T> {
    const hashes: Buffer[] = [];
    const rows = this.inPlace(this.forFirst, () => {
      this.next = undefined;
      return this.read(hashes);
    });
    return { hashes, rows, askedAt };
  }

  private repeat(hashes: Buffer[], askedAt: number): Group<T> {
    const rows = this.inPlace(this.forRepeated, () => {
      requireTime(askedAt);
      return this.read(hashes);
    });
    return { hashes, rows, askedAt };
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

function halvesOf(hashes: readonly Buffer[]): Buffer[][] {
  const middle = Math.ceil(hashes.length / 2);
  return [hashes.slice(0, middle), hashes.slice(middle)];
}

function nameOf(hash: Buffer): string {
  return hash.toString('base64');
}
