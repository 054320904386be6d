import { describe, expect, it } from '@jest/globals';
import { DatabaseError } from 'pg';
import { QueryFailedError } from 'typeorm';
import { describeError } from './describe-error.js';

const QUOTED = 'Rex';

const fromDatabase = (): DatabaseError =>
  Object.assign(new DatabaseError(`no ${QUOTED}`, 0, 'error'), {
    code: '23514',
    table: 'pets',
    constraint: 'pets_name_length',
    routine: 'ExecConstraints',
    detail: `Failing row contains (${QUOTED})`,
    hint: QUOTED,
    where: QUOTED,
    internalQuery: QUOTED,
  });

describe('An error in the log', () => {
  it.each([
    ['of the database', fromDatabase()],
    ['of TypeORM', new QueryFailedError(`INSERT '${QUOTED}'`, [QUOTED], fromDatabase())],
    ['caused by one of the database', new Error('no animal', { cause: fromDatabase() })],
  ])('%s names what was at fault, and quotes no value', (_, error) => {
    const line = JSON.stringify(describeError(error));
    expect(line).toContain('"code":"23514"');
    expect(line).toContain('"constraint":"pets_name_length"');
    expect(line).not.toContain(QUOTED);
  });

  it('keeps its own message, and where it was made', () => {
    expect(describeError(new TypeError('not a function'))).toMatchObject({
      name: 'TypeError',
      message: 'not a function',
      stack: expect.stringContaining('describe-error.spec'),
    });
  });

  it('may be anything that was thrown', () => {
    expect(describeError('no')).toBe('no');
    expect(describeError(undefined)).toBeUndefined();
  });
});
