import { describe, expect, it } from '@jest/globals';
import type { KeyLoad } from '../common/exchange.js';
import { WaitingPlaces } from '../common/waiting-places.js';
import { TransactionTurns } from './transaction-turns.js';

describe('Turns of transactions', () => {
  it('let two changes of one resource begin, however many connections there are', async () => {
    const busy = (): Error => new Error('busy');
    const transactional = { controllers: new Set(), mostRunning: 24, mostPerKey: 18, waitMs: 60_000, busy };
    const turns = new TransactionTurns(transactional, new WaitingPlaces(Infinity));
    const [one, other]: [KeyLoad, KeyLoad] = [{ inFlight: 1 }, { inFlight: 1 }];
    expect([one, other].map((load) => turns.take(load, 'orders/1'))).toEqual([true, true]);
    const third = turns.take(other, 'orders/1');
    expect(turns.take(other, 'orders/2')).toBe(true);
    expect(third).toBeInstanceOf(Promise);
    expect(turns.refusalOf(other, 'orders/1').message).toMatch(/^Too many changes of this resource/);
    turns.end(one, 'orders/1');
    expect(await third).toBe(true);
  });
});
