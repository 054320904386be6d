import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Availability } from '../availability.js';
import type { Row } from '../batching/statement.js';
import type { StatementQueue } from '../batching/statement-queue.js';
import { DatabaseBusy } from '../database-errors.js';
import { StandbyReads } from './standby-reads.js';

const STATEMENT = { name: 'one', text: 'SELECT 1', properties: [] };

describe('A read that a standby cannot answer', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('ends within the limits of one read, however long the primary may take', async () => {
    const url = 'postgres://127.0.0.1:1/nowhere';
    const connection = { url, directUrl: url, poolSize: 12, preparedStatements: true, standbyUrls: [url] };
    const primary = { run: () => new Promise(() => {}) } as unknown as StatementQueue;
    const reads = new StandbyReads({ kind: 'server', ...connection }, primary, new Availability());
    const [standby] = reads.standbys;
    Object.defineProperty(standby, 'isAvailable', { value: true });
    const failing = new Promise<Row[]>((_, reject) => setTimeout(() => reject(new Error('silent')), 500));
    Object.defineProperty(standby, 'read', { value: () => failing });
    const answer = reads.run(STATEMENT, []).catch((error: unknown) => error);
    await jest.advanceTimersByTimeAsync(950);
    expect(reads.fallbacks).toBe(1);
    expect(await answer).toBeInstanceOf(DatabaseBusy);
  });
});
