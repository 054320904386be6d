import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { isKnownAsSlow, type Owner, Owners } from './owners.js';
import { PROBED, Probes } from './probes.js';
import { type StatementTime, UnitTimes } from './unit-times.js';

const MANY: StatementTime[] = Array.from({ length: 16 }, () => {
  return { owner: {}, mayHaveWaitedMs: 0, ms: 1, atLeastMs: 1, hasSucceeded: true, isCancelled: false };
});
const CANCELLED = { hasSucceeded: false, isCancelled: true };
/** Of the way to the server. */
const DISTANCE_MS = 50;

describe('Probes', () => {
  let owners: Owners;
  let probes: Probes;
  let mine: Owner;
  let others: Owner;
  beforeEach(() => {
    jest.useFakeTimers();
    [owners, mine, others] = [new Owners(), {}, {}];
    probes = new Probes(owners);
    probes.combined(DISTANCE_MS + 1);
  });
  afterEach(() => void jest.useRealTimers());

  const time = (owner: Owner | undefined, ms: number, other: Partial<StatementTime> = {}): StatementTime => {
    return { owner, mayHaveWaitedMs: 0, ms, atLeastMs: ms, hasSucceeded: true, isCancelled: false, ...other };
  };
  const doubtedAfter = (inserts: readonly StatementTime[], by = probes): boolean[] => {
    by.compare(Object.assign(new UnitTimes(() => 0), { statements: inserts, distanceMs: DISTANCE_MS }));
    return [mine, others].map((owner) => isKnownAsSlow(owner));
  };

  /** As many as are forgiven for. */
  const eight = (one: StatementTime): StatementTime[] => Array.from({ length: 8 }, () => one);

  const isDue = () => probes.most !== undefined;

  it('follow a batch that took longer than the quickest of late', () => {
    probes.combined(DISTANCE_MS + 41);
    expect(isDue()).toBe(false);
    probes.combined(DISTANCE_MS + 42);
    expect([probes.most, owners.areWanted]).toEqual([PROBED, false]);
    jest.advanceTimersByTime(10_000);
    expect(isDue()).toBe(false);
  });

  it('follow no batch that takes longer as the way does', () => {
    for (let i = 0; i < 3; i++) {
      jest.advanceTimersByTime(10_001);
      doubtedAfter(MANY); // looked at
      jest.advanceTimersByTime(1_000);
      probes.combined(DISTANCE_MS + 100);
    }
    expect(isDue()).toBe(false);
  });

  it('show whose inserts take longer than others', () => {
    expect(doubtedAfter([time(others, 1), time(mine, 18), time(others, 2)])).toEqual([true, false]);
    expect([isDue(), owners.areWanted]).toEqual([true, true]);
  });

  it('blame nobody when each insert takes long, as with a trigger of each statement', () => {
    expect(doubtedAfter([time(others, 40), time(mine, 60), time(others, 45)])).toEqual([false, false]);
  });

  it('blame all whose inserts were cancelled, unless a batch takes as long', () => {
    const all = [mine, others].map((owner) => time(owner, 100, CANCELLED));
    for (let i = 0; i < 2; i++) {
      jest.advanceTimersByTime(10_001);
      probes.combined(DISTANCE_MS + 50);
    }
    expect(doubtedAfter(all)).toEqual([false, false]);
    probes.combined(DISTANCE_MS + 1);
    expect(doubtedAfter(all)).toEqual([true, true]);
  });

  it('blame nobody for what this process took to read the answers', () => {
    const late = time(mine, 60, { atLeastMs: 3 });
    expect(doubtedAfter([time(others, 1), late])).toEqual([false, false]);
  });

  it('compare an insert without others with the quickest batch, if there was one of late', () => {
    jest.advanceTimersByTime(3_001); // it may be slow for all
    expect(doubtedAfter([time(mine, 90)])).toEqual([false, false]);
    probes.combined(DISTANCE_MS + 1);
    expect(doubtedAfter([time(mine, 90)])).toEqual([true, false]);
  });

  it('are all batches of doubted owners, whose inserts are not compared with each other', () => {
    const own = new Probes(owners, probes);
    expect(own.most).toBe(1);
    expect(doubtedAfter([time(mine, 90), time(mine, 100)], own)).toEqual([true, false]);
    expect(doubtedAfter([time(mine, 1), time(mine, 100)], own)).toEqual([true, false]);
    expect(doubtedAfter(eight(time(mine, 1)), own)).toEqual([false, false]);
  });

  it('do not take a refusal for a quick insert', () => {
    const refused = time(mine, 1, { hasSucceeded: false });
    expect(doubtedAfter([refused, time(mine, 60), time(others, 61)])).toEqual([false, false]);
    owners.tookLong(mine);
    expect(doubtedAfter([refused], new Probes(owners, probes))).toEqual([true, false]);
  });

  it('blame nobody for what may be a wait for locks, and then look closer', () => {
    const waited = { mayHaveWaitedMs: 60 };
    expect(doubtedAfter([time(others, 1), time(mine, 17, waited)])).toEqual([false, false]);
    expect(isDue()).toBe(false);
    expect(doubtedAfter([time(others, 1), time(mine, 77, waited)])).toEqual([false, false]);
    expect(isDue()).toBe(true);
    expect(doubtedAfter([time(others, 1), time(mine, 78, waited)])).toEqual([true, false]);
  });

  it('look at what comes next, though many may have waited', () => {
    doubtedAfter([...MANY, time(mine, 30, { mayHaveWaitedMs: 32 })]);
    expect(isDue()).toBe(true);
    doubtedAfter([...MANY, time(mine, 17.5, { mayHaveWaitedMs: 2 })]);
    expect(isDue()).toBe(false); // these were looked at
  });

  it('do not compare the inserts of one owner with each other', () => {
    expect(doubtedAfter([1, 2, 3, 4].map(() => time(mine, 60)))).toEqual([true, false]);
  });

  it('prove nothing without a batch to compare with, but that what was cancelled was slow', () => {
    const own = new Probes(owners, new Probes(owners));
    owners.tookLong(mine);
    expect(doubtedAfter([time(mine, 20)], own)).toEqual([true, false]);
    expect(doubtedAfter([time(others, 200, CANCELLED)], own)).toEqual([true, true]);
    expect(doubtedAfter(eight(time(mine, 15)), own)).toEqual([false, true]); // it is whatever others take
  });

  it('take no insert for quick whose answer may have waited for this process', () => {
    owners.tookLong(mine);
    const read = time(mine, 60, { atLeastMs: 3 });
    expect(doubtedAfter([read], new Probes(owners, probes))).toEqual([true, false]);
  });

  it('look at all inserts for a while after a slow one, at more and more of them', () => {
    doubtedAfter([time(others, 1), time(mine, 60)]);
    const sizes = [1, 2, 3, 4, 5, 6].map(() => {
      const { most } = probes;
      doubtedAfter(MANY);
      return most;
    });
    expect(sizes).toEqual([8, 16, 32, 64, 64, 64]);
    doubtedAfter(MANY.map((one) => ({ ...one, ms: 16, atLeastMs: 16 })));
    expect(probes.most).toBe(8); // as a trigger of each statement makes them take long together
    doubtedAfter([time(others, 1), time(mine, 60)]);
    expect(probes.most).toBe(8);
    jest.advanceTimersByTime(5_000);
    doubtedAfter(MANY);
    expect(isDue()).toBe(false);
  });

  it('look at fewer, which have more time, where all take some', () => {
    for (const [ms, most] of [
      [4, 8],
      [5, 4],
    ] as const) {
      probes = new Probes(owners);
      probes.combined(DISTANCE_MS + ms);
      doubtedAfter([time(others, ms), time(mine, 60)]);
      probes.tookTooLong();
      expect(probes.most).toBe(most);
    }
  });

  it('blame a reader for the second slow read of late', () => {
    const reads = new Probes(owners, undefined, true);
    const slow = [time(others, 1), time(mine, 45)];
    expect([doubtedAfter(slow, reads)[0], reads.most]).toEqual([false, PROBED]);
    jest.advanceTimersByTime(5_000);
    expect(doubtedAfter(slow, reads)[0]).toBe(false);
    jest.advanceTimersByTime(4_999);
    expect(doubtedAfter(slow, reads)[0]).toBe(true);
  });

  it('blame a reader at once whose read took very long, if another was quick', () => {
    const reads = new Probes(owners, undefined, true);
    expect(doubtedAfter([time(others, 15), time(mine, 46)], reads)).toEqual([false, false]);
    jest.advanceTimersByTime(5_000);
    expect(doubtedAfter([time(others, 1), time(mine, 45)], reads)).toEqual([false, false]);
    jest.advanceTimersByTime(5_000);
    expect(doubtedAfter([time(others, 1), time(mine, 46)], reads)).toEqual([true, false]);
  });

  it('blame a reader at once whose read took very long while those of others were quick elsewhere', () => {
    const own = new Probes(owners, probes, true);
    const blamesAfter = (quickMs: number): boolean => {
      const statements = [time(mine, 60)];
      const times = Object.assign(new UnitTimes(() => 0), { statements, distanceMs: DISTANCE_MS });
      jest.advanceTimersByTime(10);
      probes.combined(DISTANCE_MS + quickMs);
      own.compare(times);
      jest.advanceTimersByTime(5_000);
      return isKnownAsSlow(mine);
    };
    expect([blamesAfter(100), blamesAfter(1)]).toEqual([false, true]);
  });

  it('follow a lost answer, unless the way loses some: then none follow for a while', () => {
    const slow = (): boolean => {
      probes.combined(DISTANCE_MS + 100);
      return isDue();
    };
    probes.lostAnswer(false);
    expect([isDue(), owners.areWanted]).toEqual([true, false]);
    doubtedAfter([time(others, 1), time(mine, 60)]);
    probes.lostAnswer(true);
    expect([isDue(), slow()]).toEqual([false, false]);
    jest.advanceTimersByTime(9_999);
    expect(slow()).toBe(false);
    jest.advanceTimersByTime(1);
    expect(slow()).toBe(true);
  });

  it('look no closer for reads of nobody, once owners are known', () => {
    const reads = new Probes(owners, undefined, true);
    const slow = [time(others, 1), time(undefined, 60)];
    doubtedAfter(slow, reads);
    expect([reads.most, owners.areWanted]).toEqual([PROBED, true]);
    jest.advanceTimersByTime(4_999);
    doubtedAfter(slow, reads);
    jest.advanceTimersByTime(1);
    expect(reads.most).toBeUndefined();
  });

  it('of slow reads let more and more of them share a batch while these are quick, and blame only some', () => {
    const own = new Probes(owners, probes, true);
    for (const owner of [mine, others]) owners.tookLong(owner);
    const sizeAfter = (...ms: number[]) => {
      doubtedAfter(
        ms.map((one) => time(mine, one)),
        own,
      );
      return own.most;
    };
    expect(own.most).toBe(1);
    const sizes = [
      sizeAfter(100),
      sizeAfter(60),
      sizeAfter(60, 60),
      sizeAfter(60, 60, 60),
      sizeAfter(200, 60),
    ];
    expect(sizes).toEqual([2, 2, 4, 4, 1]);
    expect(doubtedAfter([time(mine, 60), ...eight(time(others, 1))], own)).toEqual([true, false]);
    owners.tookLong(others);
    expect(doubtedAfter([time(mine, 60), time(others, 61)], own)).toEqual([true, true]); // no measure of each other
  });

  it('look at some inserts, and rest then, as on a slow disk, unless some are cancelled', () => {
    const slow = (): boolean => {
      probes.combined(DISTANCE_MS + 100);
      return isDue();
    };
    expect(slow()).toBe(true);
    doubtedAfter([time(mine, 1)]);
    expect(isDue()).toBe(true);
    doubtedAfter(MANY.slice(1));
    expect([isDue(), slow()]).toEqual([false, false]);
    probes.tookTooLong();
    expect([isDue(), owners.areWanted]).toEqual([true, true]);
    doubtedAfter(MANY);
    jest.advanceTimersByTime(1_000);
    expect(slow()).toBe(true);
  });
});
