import { expect, it } from '@jest/globals';
import type { Database } from '../database/database.js';
import { waitForDatabase } from './wait-for-database.js';

const unready = (connectionProblem: string): Database =>
  ({ whenReady: () => new Promise(() => {}), connectionProblem }) as unknown as Database;

it.each([
  ['password authentication failed for user "animals"', 'password authentication failed for user "animals"'],
  ['', 'it does not answer'],
])('a command that cannot use the database (%j) says why', async (problem, reason) => {
  await expect(waitForDatabase(unready(problem), 1)).rejects.toThrow(
    `The database cannot be used: ${reason}\nCheck DATABASE_URL`,
  );
});
