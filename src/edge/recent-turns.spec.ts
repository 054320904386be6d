import { describe, expect, it } from '@jest/globals';
import { RecentTurns } from './recent-turns.js';

describe('Turns of late', () => {
  it('are fewer for who had two in a row after a pause than for who has one again and again', () => {
    const turns = new RecentTurns();
    for (let round = 0; round < 10; round++) for (let one = 0; one < 100; one++) turns.add(one);
    turns.add('rare');
    turns.add('rare');
    for (let one = 0; one < 100; one++) expect(turns.of('rare')).toBeLessThan(turns.of(one));
  });

  it('count less the older they are', () => {
    const turns = new RecentTurns();
    for (let i = 0; i < 4; i++) turns.add('formerly');
    for (let i = 0; i < 1_600; i++) turns.add('often');
    turns.add('once');
    expect(turns.of('formerly')).toBeLessThan(turns.of('once'));
    expect(turns.of('never')).toBeLessThan(turns.of('formerly'));
  });

  it('of whom there were very many count no longer than eight', () => {
    const turns = new RecentTurns();
    for (let i = 0; i < 1_000; i++) turns.add('crowd');
    for (let i = 0; i < 1_200; i++) turns.add('others');
    turns.add('once');
    expect(turns.of('crowd')).toBeLessThan(turns.of('once'));
  });

  it('are forgotten in the end', () => {
    const turns = new RecentTurns();
    for (let i = 0; i < 9_000; i++) turns.add(i);
    expect(turns.of(6_000)).toBe(0);
    expect(turns.of(8_999)).toBeGreaterThan(0);
  });

  it('may be shared', () => {
    const turns = new RecentTurns();
    turns.add('key', 'order');
    expect(turns.of('key')).toBe(turns.of('order'));
    expect(turns.of('key')).toBeGreaterThan(0);
  });
});
