import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { WaitingPlaces } from '../common/waiting-places.js';
import { Turns } from './turns.js';

const LONG = 20_000;
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

  it('lets the group begin that had the fewest turns of late', async () => {
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

  describe('where some hold their turns for long', () => {
    let now: number;
    beforeEach(() => {
      now = 1_000_000;
      jest.spyOn(performance, 'now').mockImplementation(() => now);
    });
    afterEach(() => void jest.restoreAllMocks());

    const hold = (turns: Turns, group: string, ms: number): void => {
      expect(turns.take(group)).toBe(true);
      now += ms;
      turns.end(group, undefined, { hasChanged: true });
    };

    it('lets those begin before them that had more, but shorter ones', async () => {
      const turns = new Turns({ ...ONE, mostRunningLong: 1 });
      hold(turns, 'long', 400);
      for (let i = 0; i < 5; i++) hold(turns, 'short', 5);
      void turns.take('other');
      const begun: string[] = [];
      const all = ['long', 'short'].map(async (group) => {
        await turns.take(group);
        begun.push(group);
        turns.end(group);
      });
      turns.end('other');
      await Promise.all(all);
      expect(begun).toEqual(['short', 'long']);
    });

    it('leaves some to others', async () => {
      const turns = new Turns({ mostRunning: 3, mostRunningLong: 2, waitMs: LONG });
      hold(turns, 'short', 5);
      for (const group of ['a', 'b', 'c']) hold(turns, group, 400);
      expect([turns.take('a'), turns.take('b')]).toEqual([true, true]);
      const third = turns.take('c');
      expect([third instanceof Promise, turns.take('short')]).toEqual([true, true]);
      turns.end('a');
      expect(await third).toBe(true);
    });

    it('knows which one of a group it was', () => {
      const turns = new Turns({ mostRunning: 3, mostRunningLong: 1, waitMs: LONG });
      hold(turns, 'short', 5);
      void turns.take('mixes', undefined, 'long');
      now += 395;
      void turns.take('mixes', undefined, 'quick');
      now += 5;
      turns.end('mixes', undefined, { id: 'quick' });
      expect([turns.take('mixes'), turns.take('mixes')]).toEqual([true, true]); // none was long yet
    });
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

  it('leaves some to other targets, of every group', async () => {
    const turns = new Turns({ mostRunning: 3, mostRunningPerTarget: 2, waitMs: LONG });
    expect([turns.take('a', 'row'), turns.take('b', 'row')]).toEqual([true, true]);
    const third = turns.take('c', 'row') as Promise<boolean>;
    expect(turns.take('c', 'other')).toBe(true);
    const [sameGroup, fourth] = [turns.take('c', 'other'), turns.take('d')] as Promise<boolean>[];
    const begun: string[] = [];
    void third.then(() => begun.push('row'));
    void sameGroup?.then(() => begun.push('other'));
    void fourth?.then(() => begun.push('none'));
    turns.end('c', 'other');
    await fourth;
    turns.end('d');
    await sameGroup; // not the one of its group that waited before
    turns.end('a', 'row');
    expect(await third).toBe(true);
    expect(begun).toEqual(['none', 'other', 'row']);
  });

  it('lets two begin when one ends that kept both from it, one by its group, the other by its target', async () => {
    const turns = new Turns({
      mostRunning: 3,
      mostRunningPerGroup: 1,
      mostRunningPerTarget: 1,
      waitMs: 1_000,
    });
    expect(turns.take('a', 'row')).toBe(true);
    const both = Promise.all([turns.take('a', 'other'), turns.take('b', 'row')]);
    turns.end('a', 'row');
    expect(await both).toEqual([true, true]);
  });

  it('lets one begin with a target of its own before those of other groups that share one', async () => {
    const turns = new Turns(ONE);
    void turns.take('a', 'row');
    const begun: string[] = [];
    const all = [
      ['b', 'row'],
      ['c', 'row'],
      ['a', 'other'],
      ['a', undefined],
    ].map(async ([group, target]) => {
      await turns.take(group, target);
      begun.push(`${group} ${target}`);
      turns.end(group, target);
    });
    void turns.take('quiet');
    turns.end('a', 'row'); // 'quiet' begins
    turns.end('quiet');
    await Promise.all(all);
    expect(begun).toEqual(['b row', 'a other', 'c row', 'a undefined']);
  });

  it('has those that wait for a target give up their places first, however many groups they are of', async () => {
    const turns = new Turns({ mostRunning: 2, mostRunningPerTarget: 1, waitMs: LONG }, new WaitingPlaces(3));
    expect([turns.take('a', 'row'), turns.take('a', 'other')]).toEqual([true, true]);
    const crowd = ['b', 'c', 'd'].map((group) => turns.take(group, 'row'));
    const single = turns.take('e') as Promise<boolean>;
    expect(await crowd[2]).toBe(false);
    turns.end('a', 'other');
    expect(await single).toBe(true);
  });

  it('favours, of those that share a target, the group that had the fewest turns there', async () => {
    const turns = new Turns({ mostRunning: 2, mostRunningPerTarget: 1, waitMs: LONG }, new WaitingPlaces(2));
    void turns.take('a', 'row');
    const later = turns.take('b', 'row');
    turns.end('a', 'row');
    await later;
    const begun: string[] = [];
    const all = ['b', 'a', 'quiet'].map(async (group) => {
      const isMyTurn = await turns.take(group, 'row');
      if (!isMyTurn) return false;
      begun.push(group);
      turns.end(group, 'row');
      return true;
    });
    turns.end('b', 'row');
    expect(await Promise.all(all)).toEqual([false, true, true]);
    expect(begun).toEqual(['quiet', 'a']);
  });

  it('keeps the order of those of one group, whether they have a target or not', async () => {
    const turns = new Turns(ONE);
    for (let i = 0; i < 3; i++) {
      void turns.take('a', 'row');
      if (i < 2) turns.end('a', 'row');
    }
    const begun: (string | undefined)[] = [];
    const all = ['row', undefined, 'row', undefined].map(async (target) => {
      await turns.take('a', target);
      begun.push(target);
      turns.end('a', target);
    });
    turns.end('a', 'row');
    await Promise.all(all);
    expect(begun).toEqual(['row', undefined, 'row', undefined]);
  });

  it('knows who had turns at a target while some wait for it, though none runs', async () => {
    const turns = new Turns(ONE, new WaitingPlaces(3));
    void turns.take('a', 'row');
    const begun: string[] = [];
    const take = async (group: string, target?: string): Promise<void> => {
      if (await turns.take(group, target)) begun.push(group);
    };
    const waiting = [take('b', 'row'), take('other'), take('a', 'row')];
    turns.end('a', 'row');
    await waiting[1]; // now none runs at the target
    const quiet = take('quiet', 'row');
    turns.end('other');
    await waiting[0];
    turns.end('b', 'row');
    await quiet;
    turns.end('quiet', 'row');
    await waiting[2];
    expect(begun).toEqual(['other', 'b', 'quiet', 'a']);
  });

  it('forgets a target that none waits for any more', async () => {
    const turns = new Turns({ mostRunning: 1, waitMs: 1 });
    void turns.take('a');
    expect(await turns.take('b', 'row')).toBe(false);
    turns.end('a');
    expect(turns).toMatchObject({ targets: new Map() });
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
