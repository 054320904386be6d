import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { ERROR_CODES, ERRORS } from './error-catalogue.js';

it('The guide for callers says of every error, and of no other, what to do about it', () => {
  const guide = readFileSync(new URL('../../../docs/guide.md', import.meta.url), 'utf8');
  const rows = [...guide.matchAll(/^\| `([a-z_]+)` +\| (\d{3}) +\| \S.*\|$/gm)];
  const explained = rows.map(([, code, status]) => `${code} ${status}`);
  expect(explained.toSorted()).toEqual(
    ERROR_CODES.map((code) => `${code} ${ERRORS[code].status}`).toSorted(),
  );
});
