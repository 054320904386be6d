import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { BatchSize } from './batch-size.js';

describe('The size of batches', () => {
  afterEach(() => void jest.restoreAllMocks());

  /** Answers full batches as a server does that is so far away, and works so long on each statement. */
  const after = (
    batches: number,
    distanceMs: number,
    workMs: number,
    size = new BatchSize(16, 64),
  ): BatchSize => {
    for (let i = 0; i < batches; i++) size.answered(size.most, distanceMs + size.most * workMs);
    return size;
  };
  const mostAmong = (batches: number, distanceMs: number, workMs: number): number => {
    const size = new BatchSize(16, 64);
    size.answered(1, distanceMs + workMs);
    return Math.max(...Array.from({ length: batches }, () => after(1, distanceMs, workMs, size).most));
  };

  it('grows where the way takes most of the time', () => {
    expect(after(2, 50, 0.1).most).toBe(64);
    expect(after(20, 10, 0.05).most).toBe(64);
    expect(after(20, 200, 0.5).most).toBe(64);
  });

  it('does not grow where the work does, nor beyond what is answered in time', () => {
    expect(mostAmong(100, 0.3, 0.1)).toBe(16);
    expect(mostAmong(100, 1, 10)).toBe(16);
    expect(mostAmong(100, 20, 1)).toBe(16);
    expect(mostAmong(100, 300, 0.1)).toBe(16);
    // Until a smaller batch has shown how short the way is.
    for (let i = 0; i < 20; i++) expect(after(i, 0, 8).most).toBeLessThanOrEqual(32);
  });

  it('does not grow unless batches are full', () => {
    const size = new BatchSize(16, 64);
    for (let i = 0; i < 20; i++) size.answered(15, 50);
    expect(size.most).toBe(16);
  });

  it('shrinks when the work takes longer, and at once when an answer was lost', () => {
    const size = after(2, 50, 0.1);
    expect(after(1, 50, 1, size).most).toBe(32);
    expect(after(1, 50, 3, size).most).toBe(16);
    expect(after(5, 50, 0.1, size).most).toBe(64);
    size.lost();
    expect(size.most).toBe(16);
  });

  it('gets ever smaller when answers are lost again, as on a way that loses large packets, and grows a second later', () => {
    let now = 1_000_000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const size = new BatchSize(16, 64);
    const sizes = [0, 100, 600, 100, 600, 600].map((ms) => {
      now += ms;
      size.lostAnswer();
      return size.most;
    });
    expect(sizes).toEqual([16, 16, 4, 4, 1, 1]); // soon after another one it is the same incident
    now += 1_000;
    expect(after(5, 5, 0.1, size).most).toBe(1);
    now++;
    expect(after(2, 5, 0.1, size).most).toBe(4);
    size.answered(3, 5); // not full
    expect(after(2, 300, 0.1, size).most).toBe(16);
    now += 10_000;
    size.lostAnswer();
    expect(size.most).toBe(16);
    now += 600;
    size.lost(); // its connection was closed
    expect(size.most).toBe(16);
  });

  it('forgets how short the way was, as after a failover to a server that is further away', () => {
    const size = after(2, 2, 0.01);
    expect(size.most).toBe(64);
    expect(after(20, 50, 0.1, size).most).toBe(16);
    const later = performance.now() + 2_001;
    jest.spyOn(performance, 'now').mockReturnValue(later);
    expect(after(3, 50, 0.1, size).most).toBe(64);
  });
});
