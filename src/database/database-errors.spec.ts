import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { DataSource, EntityMetadataNotFoundError, QueryFailedError } from 'typeorm';
import {
  constraintOf,
  DatabaseOutage,
  isDatabaseOutage,
  OutcomeUnknown,
  toOutage,
} from './database-errors.js';

const withCode = (code: string) => Object.assign(new Error('x'), { code });

describe('isDatabaseOutage', () => {
  it.each([
    'ECONNREFUSED',
    'ECONNRESET',
    '57P01',
    '57P03',
    '53100',
    '53300',
    '58030',
    '40001',
    '42P01',
    '26000',
  ])('is true of %s', (code) => {
    expect(isDatabaseOutage(withCode(code))).toBe(true);
  });

  it('is true of a stale plan', () => {
    const error = Object.assign(withCode('0A000'), { routine: 'RevalidateCachedQuery' });
    expect(isDatabaseOutage(error)).toBe(true);
  });

  it.each([
    'Connection terminated unexpectedly',
    'timeout exceeded when trying to connect',
    'Query read timeout',
  ])('is true of "%s"', (message) => {
    expect(isDatabaseOutage(new Error(message))).toBe(true);
  });

  it('is true of a database that was never reached at any of its addresses', () => {
    expect(isDatabaseOutage(new DatabaseOutage())).toBe(true);
    expect(isDatabaseOutage(new OutcomeUnknown())).toBe(true);
    expect(isDatabaseOutage(new AggregateError([withCode('ECONNREFUSED'), withCode('ECONNREFUSED')]))).toBe(
      true,
    );
  });

  it('is true of a request before the first connection', () => {
    const source = new DataSource({ type: 'postgres' });
    const early = () => source.getRepository('ApiKey').metadata;
    expect(early).toThrow(EntityMetadataNotFoundError);
    expect(isDatabaseOutage(new EntityMetadataNotFoundError('ApiKey'))).toBe(true);
  });

  it.each([
    withCode('23505'),
    withCode('22021'),
    withCode('42601'),
    new Error('x'),
    'ECONNREFUSED',
    null,
    undefined,
  ])('is false of %p, which is not temporary', (thrown) => {
    expect(isDatabaseOutage(thrown)).toBe(false);
  });
});

describe('constraintOf', () => {
  const violated = (code: string, constraint: string) =>
    Object.assign(new pg.DatabaseError('x', 1, 'error'), { code, constraint });

  it.each(['toys_pkey', 'toys_pkey_ccnew', 'toys_pkey_ccold', 'toys_pkey_ccold12'])(
    'of %s, an index that may be rebuilt, is toys_pkey',
    (name) => {
      expect(constraintOf(violated('23505', name))).toBe('toys_pkey');
      expect(constraintOf(new QueryFailedError('', [], violated('23505', name)))).toBe('toys_pkey');
    },
  );

  it('is undefined for another error', () => {
    expect(constraintOf(violated('42501', 'toys_pkey'))).toBeUndefined();
  });
});

describe('toOutage', () => {
  const unanswered = [
    new Error('Query read timeout'),
    new Error('Connection terminated unexpectedly'),
    withCode('ECONNRESET'),
    withCode('08006'),
  ];

  it.each(unanswered)('says that the outcome of a change is unknown after %p', (error) => {
    expect(toOutage(error, true)).toMatchObject({ name: 'OutcomeUnknown', cause: error });
    expect(toOutage(error, false)).toMatchObject({ name: 'DatabaseOutage', cause: error });
  });

  it.each([
    withCode('ECONNREFUSED'),
    Object.assign(withCode('ETIMEDOUT'), { syscall: 'connect' }),
    new Error('Connection terminated due to connection timeout'),
    new Error('timeout exceeded when trying to connect'),
    withCode('57014'),
  ])('does not say so of a statement that was never sent, or was refused: %p', (error) => {
    expect(toOutage(error, true)).toMatchObject({ name: 'DatabaseOutage', cause: error });
  });

  it.each(['57014', '55P03', '40P01'])(
    'says that nothing was stored when the server refused a write of TypeORM as too busy: %s',
    (code) => {
      const error = Object.assign(new pg.DatabaseError('x', 1, 'error'), { code });
      const thrown = new QueryFailedError('UPDATE', [], error);
      expect(toOutage(thrown, true)).toMatchObject({ name: 'DatabaseBusy', cause: error });
    },
  );

  it('leaves other errors alone', () => {
    expect(toOutage(new Error('x'), true)).toBeUndefined();
  });
});
