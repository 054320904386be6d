import type { PendingQuery, Row, Statement } from './statement.js';

/** The queued reads by share key. An identical read that arrives before they are sent shares the answer. */
export class SharedReads {
  private answers = new Map<string, { query: PendingQuery; answer: Promise<Row[]> }>();

  find(shareKey: string | undefined): Promise<Row[]> | undefined {
    return shareKey === undefined ? undefined : this.answers.get(shareKey)?.answer;
  }

  add(query: PendingQuery, answer: Promise<Row[]>): void {
    if (query.shareKey !== undefined) this.answers.set(query.shareKey, { query, answer });
  }

  /**
   * Forgets all reads but those still queued. The map is replaced rather than emptied: V8 links the old tables of a map
   * that shrinks and grows, and one of them in the old generation retains all later entries until the next major GC.
   */
  keep(queued: readonly PendingQuery[]): void {
    if (this.answers.size === 0) return;
    const kept: typeof this.answers = new Map();
    for (const query of queued) {
      const { shareKey = '' } = query;
      const shared = this.answers.get(shareKey);
      if (shared?.query === query) kept.set(shareKey, shared);
    }
    this.answers = kept;
  }
}

/** Equal only for the same statement with the same encoded values: strings, bytes and null. */
export function shareKeyOf({ name }: Statement, values: readonly unknown[]): string {
  let key = name;
  for (const value of values) {
    const text = Buffer.isBuffer(value) ? value.toString('latin1') : String(value);
    key += `\n${value === null ? '' : typeof value} ${text.length} ${text}`;
  }
  return key;
}
