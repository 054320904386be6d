import { expect, it } from '@jest/globals';
import pg from 'pg';
import { QueryFailedError } from 'typeorm';
import { constraintOf, isStale, meaningOf, reasonOf } from './errors.js';

const databaseError = (code: string, message: string, fields = {}): Error =>
  Object.assign(new pg.DatabaseError(message, 1, 'error'), { code, ...fields });

it.each([
  ['duplicate key value violates unique constraint "orders_one_open"', { constraint: 'orders_one_open' }],
  ['duplicate key value violates unique constraint "orders_one_open_ccnew"', { constraint: 'orders_one_open_ccnew' }],
  ['duplicate key value violates unique constraint "orders_one_open"', { constraint: 'orders_one_open_ccold1' }],
  ['duplicate key value violates unique constraint "orders_one_open_102018"', {}], // on Citus
  ['conflicting key value violates exclusion constraint "orders_one_open"', {}, '23P01'],
])('A constraint is found in %s', (message, fields, code = '23505') => {
  const error = databaseError(code, message, fields);
  expect([meaningOf(error), constraintOf(error)]).toEqual(['constraint', 'orders_one_open']);
});

it.each([
  ['unknown', '08000 08006 40003 57P01 57P02 57P05'],
  ['constraint', '23503 23505 23514 23P01'],
  ['unusable', '22001 23502 25006 28000 28P01 3D000 42501 42703 42P01'],
  ['refused', '0A000 25P03 26000 40001 40P01 42P05 53100 53300 55P03 57014 57P03 58030 XX000 XX001'],
])('The database means %j by %s', (kind, states) => {
  const meanings = states.split(' ').map((state) => [state, meaningOf(databaseError(state, ''))]);
  expect(meanings).toEqual(states.split(' ').map((state) => [state, kind]));
});

it('The reason of a host with several addresses is that of the first', () =>
  expect(reasonOf(new AggregateError([new Error('connect ECONNREFUSED')]))).toBe('connect ECONNREFUSED'));

it.each(['SELECT id FROM pets WHERE', 'INSERT INTO pets (name)', 'UPDATE pets SET'])(
  'The reason of a failure names the table of %s',
  (query) => expect(reasonOf(new QueryFailedError(query, [], databaseError('55P03', 'late')))).toBe('late (pets)'),
);

it.each(['0A000', '25006', '26000', '42P05'])('What is refused with %s can be sent again', (state) => {
  expect(isStale(databaseError(state, ''))).toBe(true);
});
