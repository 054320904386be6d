import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { ERROR_CODES, ERRORS } from './error-catalogue.js';

it('the guide for callers explains every error code and no others', () => {
  const guide = readFileSync(new URL('../../../docs/guide.md', import.meta.url), 'utf8');
  const rows = [...guide.matchAll(/^- `([a-z_]+)` \((\d{3})\): \S/gm)];
  const explained = rows.map(([, code, status]) => `${code} ${status}`);
  expect(explained.toSorted()).toEqual(
    ERROR_CODES.map((code) => `${code} ${ERRORS[code].status}`).toSorted(),
  );
});
