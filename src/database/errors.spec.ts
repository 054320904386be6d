import { expect, it } from '@jest/globals';
import pg from 'pg';
import { constraintOf, meaningOf } from './errors.js';

const databaseError = (code: string, message: string, fields = {}): Error =>
  Object.assign(new pg.DatabaseError(message, 1, 'error'), { code, ...fields });

it.each([
  ['duplicate key value violates unique constraint "orders_one_open"', { constraint: 'orders_one_open' }],
  ['duplicate key value violates unique constraint "orders_one_open_ccnew"', { constraint: 'orders_one_open_ccnew' }],
  ['duplicate key value violates unique constraint "orders_one_open_102018"', {}], // on Citus
  ['conflicting key value violates exclusion constraint "orders_one_open"', {}, '23P01'],
])('A constraint is found in %s', (message, fields, code = '23505') => {
  const error = databaseError(code, message, fields);
  expect([meaningOf(error), constraintOf(error)]).toEqual(['constraint', 'orders_one_open']);
});

it('A worker that Citus lost leaves the outcome unknown', () => {
  const message = 'connection to the remote node postgres@10.0.0.5:5432 failed';
  expect(meaningOf(databaseError('08006', message))).toBe('unknown');
});
