import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { doubt, lostRace, type Owner, Owners, partyOf, readerOf, waited, WAITING } from './owners.js';

describe('Owners', () => {
  let owners: Owners;
  let owner: Owner;
  beforeEach(() => {
    jest.useFakeTimers();
    [owners, owner] = [new Owners(), {}];
  });
  afterEach(() => void jest.useRealTimers());

  const doubtedAfter = (ms: number): boolean => {
    jest.advanceTimersByTime(ms);
    return partyOf(owner) === owner;
  };

  /** How many quick inserts end the doubt. */
  const proofs = (): number => {
    let quick = 0;
    for (; partyOf(owner); quick++) owners.wasQuick(owner);
    return quick;
  };

  it('are doubted for a while after an insert took long', () => {
    owners.tookLong(owner);
    expect([partyOf({}), doubtedAfter(29_999), doubtedAfter(1)]).toEqual([undefined, true, false]);
  });

  it('are doubted no more once an insert is quick, and after relapses once more of them are', () => {
    const needed = [1, 2, 3].map(() => {
      owners.tookLong(owner);
      owners.tookLong(owner); // meanwhile, it is no relapse
      return proofs();
    });
    expect(needed).toEqual([8, 64, 64]);
    jest.advanceTimersByTime(300_000);
    owners.tookLong(owner);
    expect(proofs()).toBe(8);
  });

  it('need more quick statements as readers, who mix slow reads with quick ones', () => {
    owner = readerOf({});
    const needed = [1, 2, 3].map(() => {
      owners.tookLong(owner);
      return proofs();
    });
    expect(needed).toEqual([16, 64, 64]);
    owners.tookLong(owner);
    for (let quick = 0; quick < 60; quick++) owners.wasQuick(owner);
    owners.tookLong(owner); // between them
    expect(proofs()).toBe(8);
  });

  it('are forgiven as readers, who were clearly slow twice, only after 30 s', () => {
    owner = readerOf({});
    owners.tookLong(owner, true);
    expect(proofs()).toBe(16);
    owners.tookLong(owner, true); // it was before
    jest.advanceTimersByTime(10_000);
    owners.tookLong(owner);
    for (let quick = 0; quick < 1_000; quick++) owners.wasQuick(owner);
    expect([doubtedAfter(29_999), doubtedAfter(1)]).toEqual([true, false]);
  });

  it('are wanted while some inserts take long, also if it is not known whose', () => {
    expect(owners.areWanted).toBe(false);
    owners.tookLong(undefined);
    jest.advanceTimersByTime(29_999);
    expect(owners.areWanted).toBe(true);
    jest.advanceTimersByTime(1);
    expect(owners.areWanted).toBe(false);
  });

  it('are doubted for another reason, too', () => {
    doubt(owner);
    owners.wasQuick(owner);
    expect([doubtedAfter(4_999), doubtedAfter(1)]).toEqual([true, false]);
  });

  it('are doubted for longer each time that they lose a race, unless it was long ago', () => {
    const doubted = [5, 60, 300, 300].map((seconds) => {
      lostRace(owner);
      lostRace(owner); // meanwhile, it is no relapse
      return [doubtedAfter(seconds * 1_000 - 1), doubtedAfter(1)];
    });
    expect(doubted).toEqual(Array.from({ length: 4 }, () => [true, false]));
    jest.advanceTimersByTime(300_000);
    lostRace(owner);
    expect([doubtedAfter(4_999), doubtedAfter(1)]).toEqual([true, false]);
  });

  it('share batches with all that wait after an insert met a lock', () => {
    waited(owner);
    jest.advanceTimersByTime(9_999);
    expect(partyOf(owner)).toBe(WAITING);
    jest.advanceTimersByTime(1);
    expect(partyOf(owner)).toBeUndefined();
  });

  it('share batches with each other only, though they wait, while their inserts take long', () => {
    waited(owner);
    owners.tookLong(owner);
    expect(partyOf(owner)).toBe(owner);
  });
});
