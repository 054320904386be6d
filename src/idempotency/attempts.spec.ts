import { beforeEach, describe, expect, it } from '@jest/globals';
import { DatabaseError } from 'pg';
import { unavailable } from '../api/errors/api-error.js';
import type { KeyLoad } from '../common/exchange.js';
import { Attempts } from './attempts.js';

const LOCK = Object.assign(new DatabaseError('', 0, 'error'), { code: '55P03' });
const DUPLICATE = Object.assign(new DatabaseError('', 0, 'error'), { code: '23505' });

describe('The attempts of a change', () => {
  let load: KeyLoad;
  beforeEach(() => {
    load = { inFlight: 1 };
  });

  const begin = (): Attempts => {
    const attempts = new Attempts(load, Infinity);
    attempts.begin();
    return attempts;
  };
  const next = (attempts: Attempts, cause: unknown): boolean => {
    const mayGoOn = attempts.mayGoOn(cause);
    attempts.begin();
    return mayGoOn;
  };
  const partners = (attempts: Attempts): string => {
    if (attempts.isAlone) return 'alone';
    if (attempts.sharesWith === load) return 'its key';
    return attempts.sharesWith ? 'none' : 'all';
  };

  it('share a transaction with all, with those of its key, then with none', () => {
    const attempts = begin();
    const seen = [partners(attempts)];
    while (next(attempts, DUPLICATE)) seen.push(partners(attempts));
    expect(seen).toEqual(['all', 'its key', 'its key', 'alone', 'alone']);
  });

  it('after a lock beside those of its key are made in a batch of its own, and end with the second lock', () => {
    const attempts = begin();
    expect(next(attempts, LOCK)).toBe(true);
    expect(partners(attempts)).toBe('its key');
    expect(load.lastDisturbance).toBeUndefined();
    expect(next(attempts, LOCK)).toBe(true);
    expect(partners(attempts)).toBe('none');
    expect(next(attempts, LOCK)).toBe(false);
    expect(partners(begin())).toBe('its key');
  });

  it('after a lock that was released go on as before', () => {
    const attempts = begin();
    for (const cause of [LOCK, LOCK, DUPLICATE]) expect(next(attempts, cause)).toBe(true);
    expect(partners(attempts)).toBe('alone');
  });

  it('are doubted once another replica had made the change, or it was refused alone', () => {
    const first = begin();
    first.found();
    expect([first.looksUp, partners(begin())]).toEqual([true, 'all']);
    const raced = begin();
    next(raced, DUPLICATE);
    raced.found();
    expect(partners(begin())).toBe('its key');
    load = { inFlight: 1 };
    const refused = begin();
    for (let i = 0; i < 3; i++) next(refused, DUPLICATE);
    refused.refused(unavailable('No turn.'));
    expect(partners(begin())).toBe('all');
    refused.refused(DUPLICATE);
    expect(partners(begin())).toBe('its key');
  });
});
