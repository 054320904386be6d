import { beforeEach, describe, expect, it } from '@jest/globals';
import { DatabaseError } from 'pg';
import type { KeyLoad } from '../common/exchange.js';
import { WAITING } from '../database/batching/owners.js';
import { RunAgain } from '../database/transactions/recorded-change.js';
import { Attempts } from './attempts.js';

const refusal = (code: string): ErrorOptions => ({
  cause: Object.assign(new DatabaseError('', 0, 'error'), { code }),
});
const LOCK = refusal('55P03');
const DUPLICATE = refusal('23505');

describe('The attempts of a change', () => {
  let load: KeyLoad;
  beforeEach(() => {
    load = { inFlight: 1 };
  });

  const partners = (attempts: Attempts): string => {
    attempts.begin();
    const party = attempts.decideParty();
    if (attempts.isAlone) return 'alone';
    if (party === WAITING) return 'those that wait';
    return party === load ? 'its key' : 'all';
  };
  const create = (): Attempts => new Attempts(load, Infinity);
  const partnersOfNext = (): string => partners(create());

  it('share a transaction with all, with those of its key, then with none', () => {
    const attempts = create();
    const seen = [partners(attempts)];
    while (attempts.mayGoOn(new RunAgain(DUPLICATE))) seen.push(partners(attempts));
    expect(seen).toEqual(['all', 'its key', 'its key', 'alone', 'alone']);
  });

  it('go on beside those that wait after a lock that the change itself met, and so do later changes', () => {
    const attempts = create();
    expect(partners(attempts)).toBe('all');
    expect(attempts.mayGoOn(new RunAgain(LOCK, 'own'))).toBe(true);
    expect([partners(attempts), partnersOfNext()]).toEqual(['those that wait', 'those that wait']);
  });

  it('go on beside those of its key after another fault of its own, and so do later changes', () => {
    const attempts = create();
    expect(partners(attempts)).toBe('all');
    expect(attempts.mayGoOn(new RunAgain(DUPLICATE, 'own'))).toBe(true);
    expect([partners(attempts), partnersOfNext()]).toEqual(['its key', 'its key']);
  });

  it('go on beside all others after a lock that another change met', () => {
    const attempts = create();
    expect(partners(attempts)).toBe('all');
    expect(attempts.mayGoOn(new RunAgain(LOCK, 'none'))).toBe(true);
    expect([partners(attempts), partnersOfNext()]).toEqual(['all', 'all']);
  });

  it('go on beside those of its key after a lock that some change met', () => {
    const attempts = create();
    expect(partners(attempts)).toBe('all');
    expect(attempts.mayGoOn(new RunAgain(LOCK))).toBe(true);
    expect([partners(attempts), partnersOfNext()]).toEqual(['its key', 'all']);
    expect(attempts.mayGoOn(new RunAgain(LOCK))).toBe(true);
    expect(partnersOfNext()).toBe('its key');
  });

  it('are doubted once another replica made the change meanwhile', () => {
    const repeated = create();
    repeated.lookedUp(true);
    expect([partnersOfNext(), create().begin()]).toEqual(['all', true]);
    const raced = create();
    raced.lookedUp(false);
    raced.lookedUp(true);
    expect(partnersOfNext()).toBe('its key');
  });
});
