import { withinLimits } from '../database/within-limits.js';

/** Few, as each takes a place in a batch. */
const MOST_STATEMENTS = 4;

/**
 * Looks rows up by their hash. While as many statements are under way as there may be, those that are asked for share the
 * next one, and its failure: after a start, a process has to look up all keys, which must not take all places of the
 * batches of a slow database.
 */
export class LookUps<T> {
  private waiting: Buffer[] = [];
  private next: Promise<ReadonlyMap<string, T>> | undefined;
  private underWay = 0;
  private wakeNext = (): void => {};

  constructor(
    private readonly readAll: (hashes: readonly Buffer[]) => Promise<readonly T[]>,
    private readonly hashOf: (row: T) => Buffer,
  ) {}

  async find(hash: Buffer): Promise<T | null> {
    this.waiting.push(hash);
    this.next ??= this.read();
    const rows = await withinLimits(performance.now(), this.next);
    return rows.get(nameOf(hash)) ?? null;
  }

  private async read(): Promise<ReadonlyMap<string, T>> {
    await new Promise<void>((resolve) => {
      if (this.underWay < MOST_STATEMENTS) resolve();
      else this.wakeNext = resolve;
    });
    const hashes = this.waiting;
    this.waiting = [];
    this.next = undefined;
    this.underWay++;
    try {
      const rows = await this.readAll(hashes);
      return new Map(rows.map((row) => [nameOf(this.hashOf(row)), row]));
    } finally {
      this.underWay--;
      this.wakeNext();
    }
  }
}

function nameOf(hash: Buffer): string {
  return hash.toString('base64');
}
