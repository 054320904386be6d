import { expect, it } from '@jest/globals';
import { mayBeStored } from './node-errors.js';

it.each(['08006', '40003', '57P01', 'XX000'])('A write may be stored after %s', (code) => {
  expect(mayBeStored({ code })).toBe(true);
});

it.each(['23505', '40001', '53100'])('A write is not stored after %s', (code) => {
  expect(mayBeStored({ code })).toBe(false);
});
