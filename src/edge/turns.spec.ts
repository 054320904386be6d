import { describe, expect, it } from '@jest/globals';
import { WaitingPlaces } from '../common/waiting-places.js';
import { Turns } from './turns.js';

const LONG = 3_600_000;
const ONE = { mostRunning: 1, waitMs: LONG };

describe('Turns', () => {
  it('lets the next one begin when one ends, in order', async () => {
    const turns = new Turns(ONE);
    const begun: string[] = [];
    expect(turns.take('a')).toBe(true);
    const second = (turns.take('a') as Promise<boolean>).then(() => begun.push('second'));
    const third = (turns.take('a') as Promise<boolean>).then(() => begun.push('third'));
    turns.end('a');
    await second;
    expect(begun).toEqual(['second']);
    turns.end('a');
    await third;
    turns.end('a');
    expect(turns.take('a')).toBe(true);
  });

  it('lets the group begin that had no turn for the longest time', async () => {
    const turns = new Turns(ONE);
    void turns.take('busy');
    const begun: string[] = [];
    const groups = ['busy', 'busy', 'busy', 'quiet', 'other', 'other'];
    const all = groups.map(async (group) => {
      await turns.take(group);
      begun.push(group);
      turns.end(group);
    });
    turns.end('busy');
    await Promise.all(all);
    expect(begun).toEqual(['quiet', 'other', 'busy', 'other', 'busy', 'busy']);
    expect(turns.take('busy')).toBe(true);
  });

  it('leaves some to other groups, also when one waits that has its share', async () => {
    const turns = new Turns({ mostRunning: 3, mostRunningPerGroup: 2, waitMs: LONG });
    expect([turns.take('a'), turns.take('a')]).toEqual([true, true]);
    const third = turns.take('a');
    expect(third).toBeInstanceOf(Promise);
    expect(turns.take('b')).toBe(true);
    const begun: string[] = [];
    const other = (turns.take('b') as Promise<boolean>).then(() => begun.push('b'));
    turns.end('b');
    await other; // not the one that waited before: its group has its share
    void (third as Promise<boolean>).then(() => begun.push('a'));
    turns.end('a');
    expect(await third).toBe(true);
    expect(begun).toEqual(['b', 'a']);
  });

  it('refuses at once when there is no place to wait, and gives up a place for one of another group', async () => {
    const turns = new Turns(ONE, new WaitingPlaces(2));
    void turns.take('a');
    const [first, second] = [turns.take('a'), turns.take('a')];
    expect(await turns.take('a')).toBe(false);
    const other = turns.take('b');
    expect(await second).toBe(false);
    turns.end('a');
    expect(await other).toBe(true);
    turns.end('b');
    expect(await first).toBe(true);
  });

  it('refuses after the wait, and gives the turn to the next one', async () => {
    const turns = new Turns({ mostRunning: 1, waitMs: 1 }, new WaitingPlaces(1));
    void turns.take('a');
    expect(await turns.take('a')).toBe(false);
    expect(await turns.take('a')).toBe(false); // its place was free again
    turns.end('a');
    expect(turns.take('a')).toBe(true);
  });
});
