import { afterEach, expect, it, jest } from '@jest/globals';
import { DatabaseError } from 'pg';
import { runAsCommand } from './run-as-command.js';

afterEach(() => {
  jest.restoreAllMocks();
  process.exitCode = undefined;
});

it.each([
  ['40003', 'Whether the command took effect is unknown: look before you repeat it. Cancelled.\n'],
  ['57014', 'The command failed: Cancelled.\n'],
])('A command tells whether it failed: %s', async (code, told) => {
  const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  await runAsCommand(() => {
    throw Object.assign(new DatabaseError('Cancelled.', 0, 'error'), { code });
  });
  expect(stderr.mock.calls).toEqual([[told]]);
  expect(process.exitCode).toBe(1);
});
