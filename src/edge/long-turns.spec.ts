import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { LongTurns } from './long-turns.js';

describe('Long turns', () => {
  let now: number;
  let turns: LongTurns;
  beforeEach(() => {
    now = 1_000_000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    turns = new LongTurns();
  });
  afterEach(() => void jest.restoreAllMocks());

  it('are those of much more than twice the quickest of late', () => {
    turns.add(50, true, 'quick');
    turns.add(200, true, 'usual');
    turns.add(201, false, 'key', 'order');
    expect(['quick', 'usual', 'key', 'order'].map((one) => turns.hadOne(one))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  it('are no longer than others where each has a cost, as far from the database', () => {
    turns.add(300, true, 'first');
    turns.add(1, false, 'at fault');
    turns.add(500, true, 'other');
    expect([turns.hadOne('first'), turns.hadOne('other')]).toEqual([false, false]);
  });

  it('are forgotten after a while, but not for a short one', () => {
    turns.add(5, true, 'quick');
    turns.add(400, false, 'mixes');
    turns.add(5, true, 'mixes');
    expect(turns.hadOne('mixes')).toBe(true);
    now += 59_999;
    expect(turns.hadOne('mixes')).toBe(true);
    now += 1;
    expect(turns.hadOne('mixes')).toBe(false);
  });
});
