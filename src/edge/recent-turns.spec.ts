import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RecentTurns } from './recent-turns.js';

describe('Turns of late', () => {
  let now: number;
  beforeEach(() => {
    now = 1_000_000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => void jest.restoreAllMocks());

  it('are fewer for who had two in a row after a pause than for who has one again and again', () => {
    const turns = new RecentTurns();
    for (let round = 0; round < 10; round++, now += 400) for (let one = 0; one < 100; one++) turns.add(one);
    turns.add('rare');
    turns.add('rare');
    for (let one = 0; one < 100; one++) expect(turns.of('rare')).toBeLessThan(turns.of(one));
  });

  it('count less the older they are', () => {
    const turns = new RecentTurns();
    for (let i = 0; i < 4; i++) turns.add('formerly');
    now += 6_000;
    turns.add('once');
    expect(turns.of('formerly')).toBeLessThan(turns.of('once'));
    expect(turns.of('never')).toBeLessThan(turns.of('formerly'));
  });

  it('are fewer for who takes one now and then than for who began a second ago, and takes many', () => {
    const turns = new RecentTurns();
    for (let i = 0; i < 100; i++, now += 2_000) turns.add('now and then');
    for (let i = 0; i < 2; i++, now += 500) turns.add('many');
    expect(turns.of('now and then')).toBeLessThan(turns.of('many'));
  });

  it('of whom there were very many count no longer than eight', () => {
    const turns = new RecentTurns();
    for (let i = 0; i < 1_000; i++) turns.add('crowd');
    now += 7_000;
    turns.add('once');
    expect(turns.of('crowd')).toBeLessThan(turns.of('once'));
  });

  it('are forgotten in the end', () => {
    const turns = new RecentTurns();
    turns.add('formerly');
    now += 14_000;
    turns.add('now');
    expect(turns.of('formerly')).toBe(0);
    expect(turns.of('now')).toBeGreaterThan(0);
  });

  it('may be shared', () => {
    const turns = new RecentTurns();
    turns.add('key', 'order');
    expect(turns.of('key')).toBe(turns.of('order'));
    expect(turns.of('key')).toBeGreaterThan(0);
  });

  it('count more that were held for long, also more than the many of a crowd', () => {
    const turns = new RecentTurns();
    for (let i = 0; i < 1_000; i++) turns.add('crowd');
    for (const [one, ms] of [
      ['quick', 10],
      ['waits', 400],
    ] as const) {
      turns.add(one);
      turns.addHeld(ms, one);
    }
    turns.add('once');
    expect(turns.of('quick')).toBe(turns.of('once'));
    expect(turns.of('crowd')).toBeLessThan(turns.of('waits'));
    turns.add('waits'); // which takes nothing from it
    expect(turns.of('crowd')).toBeLessThan(turns.of('waits'));
  });
});
