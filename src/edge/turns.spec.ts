import { describe, expect, it } from '@jest/globals';
import { Turns } from './turns.js';

const LONG = 3_600_000;

describe('Turns', () => {
  it('lets the next one begin when one ends, in order', async () => {
    const turns = new Turns(1, 2, LONG);
    const begun: string[] = [];
    expect(turns.take()).toBe(true);
    const second = (turns.take() as Promise<boolean>).then(() => begun.push('second'));
    const third = (turns.take() as Promise<boolean>).then(() => begun.push('third'));
    turns.end();
    await second;
    expect(begun).toEqual(['second']);
    turns.end();
    await third;
    turns.end();
    expect(turns.take()).toBe(true);
  });

  it('lets one of each group begin after another', async () => {
    const turns = new Turns(1, 9, LONG);
    void turns.take('busy');
    const begun: string[] = [];
    const groups = ['busy', 'busy', 'busy', 'quiet', 'other', 'other'];
    const all = groups.map(async (group) => {
      await turns.take(group);
      begun.push(group);
      turns.end();
    });
    turns.end();
    await Promise.all(all);
    expect(begun).toEqual(['busy', 'quiet', 'other', 'busy', 'other', 'busy']);
    expect(turns.take()).toBe(true);
  });

  it('refuses at once when too many wait', () => {
    const turns = new Turns(1, 1, 1);
    void turns.take();
    expect(turns.take()).toBeInstanceOf(Promise);
    expect(turns.take()).toBe(false);
  });

  it('refuses after the wait, and gives the turn to the next one', async () => {
    const turns = new Turns(1, 1, 1);
    void turns.take();
    expect(await turns.take()).toBe(false);
    turns.end();
    expect(turns.take()).toBe(true);
  });
});
