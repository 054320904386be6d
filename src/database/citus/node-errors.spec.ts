import { expect, it } from '@jest/globals';
import { mayBeStored, nameConstraint } from './node-errors.js';

it.each(['08006', '40003', '57P01', 'XX000'])('A write may be stored after %s', (code) => {
  expect(mayBeStored({ code })).toBe(true);
});

it.each(['23505', '40001', '53100'])('A write is not stored after %s', (code) => {
  expect(mayBeStored({ code })).toBe(false);
});

it.each([
  'orders_one_open',
  'orders_one_open_102008',
  'orders_one_open_102008_ccnew',
  'orders_one_open_102008_ccold1',
])('A message that ends with "%s" names orders_one_open', (name) => {
  const message = `duplicate key value violates unique constraint "${name}"`;
  const error: Parameters<typeof nameConstraint>[0] = {
    code: '23505',
    routine: 'ReportResultError',
    message,
  };
  nameConstraint(error);
  expect(error.constraint).toBe('orders_one_open');
});
