import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { DatabaseError } from 'pg';
import { RefusalLog } from './refusal-log.js';

const refusal = (code: string) =>
  Object.assign(new DatabaseError('could not extend file', 0, 'error'), { code });

describe('RefusalLog', () => {
  const lines: string[] = [];
  beforeEach(() => {
    jest.useFakeTimers();
    for (const level of ['error', 'warn'] as const)
      jest.spyOn(Logger.prototype, level).mockImplementation((line: string) => void lines.push(line));
  });
  afterEach(() => {
    jest.restoreAllMocks();
    jest.useRealTimers();
    lines.length = 0;
  });

  it('logs each reason at its start and at its end', () => {
    const refusals = new RefusalLog(1_000);
    for (let i = 0; i < 500; i++) {
      refusals.count(refusal('53100'));
      jest.advanceTimersByTime(10);
    }
    refusals.count(refusal('42P01'));
    expect(lines).toEqual([
      'The database refuses statements, which are answered 503: could not extend file (53100)',
      'The database refuses statements, which are answered 503: could not extend file (42P01)',
    ]);
    jest.advanceTimersByTime(2_000);
    expect(lines.slice(2)).toEqual([
      'The database no longer refuses statements with 53100: 500 in 5.0 s.',
      'The database no longer refuses statements with 42P01: 1 in 0.0 s.',
    ]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('logs what is not recorded at its start and, with a count, at its end', () => {
    const refusals = new RefusalLog(1_000);
    for (let i = 0; i < 752; i++)
      refusals.countUnrecorded('Uses of keys', new Error('Connection terminated'));
    jest.advanceTimersByTime(2_000);
    expect(lines).toEqual([
      'Uses of keys are not recorded: Error: Connection terminated',
      'Uses of keys are recorded again. Not recorded: 752 in 0.0 s.',
    ]);
  });

  describe('of statements that wait too long for a lock', () => {
    const locked = () =>
      Object.assign(refusal('55P03'), {
        message: 'canceling statement due to lock timeout',
        where: 'while updating tuple (0,1) in relation "pets"',
        routine: 'ProcessInterrupts',
      });
    const countEvery = (ms: number, times: number): void => {
      const refusals = new RefusalLog(1_000);
      for (let i = 0; i < times; i++) {
        refusals.count(locked(), 'pets page');
        jest.advanceTimersByTime(ms);
      }
      jest.advanceTimersByTime(3_000);
    };

    it.each([
      [100, 10, 'within a second'],
      [900, 2, 'twice'],
      [2_500, 5, 'now and then'],
    ])('logs none if %d ms apart, %d times, so %s', (ms, times) => {
      countEvery(ms, times);
      expect(lines).toEqual([]);
      expect(jest.getTimerCount()).toBe(0);
    });

    it('logs start and end if they last', () => {
      countEvery(500, 10);
      expect(lines).toEqual([
        'The database refuses statements, such as "pets page", which are answered 503: canceling statement due to lock timeout (55P03)',
        'The database no longer refuses statements with 55P03: 10 in 4.5 s.',
      ]);
    });
  });

  it('logs the start and the end of late answers, and no single one', () => {
    const refusals = new RefusalLog(1_000);
    for (let i = 0; i < 4; i++) {
      refusals.countLate('answer', 'pets insert');
      jest.advanceTimersByTime(600);
    }
    jest.advanceTimersByTime(3_000);
    refusals.countLate('answer');
    jest.advanceTimersByTime(3_000);
    expect(lines).toEqual([
      'The database takes longer than 600 ms for statements, such as "pets insert", which are answered 503',
      'The database is late no longer: 4 in 1.8 s.',
    ]);
  });

  it.each([
    [
      'turn',
      /^Too much load, or a slow database: .+, such as "pets page",/,
      /^Statements get their turn again: 4/,
    ],
    [
      'connection',
      /^Transactions wait longer than 350 ms for a connection/,
      /^Transactions get a connection again: 4/,
    ],
    ['transaction', /^Transactions take longer/, /^Transactions end in time again: 4/],
  ] as const)('logs the start and the end of what waits or takes too long: %s', (kind, begins, ends) => {
    const refusals = new RefusalLog(1_000);
    for (let i = 0; i < 4; i++) {
      refusals.countLate(kind, 'pets page');
      jest.advanceTimersByTime(600);
    }
    jest.advanceTimersByTime(3_000);
    expect(lines).toEqual([expect.stringMatching(begins), expect.stringMatching(ends)]);
    expect(lines[0]).toMatch(/, which are answered 503$/);
  });

  it('are logged without the value that does not have the syntax of its type', () => {
    const error = new DatabaseError('invalid input syntax for type integer: "Rex"', 0, 'error');
    new RefusalLog().count(Object.assign(error, { code: '22P02' }));
    expect(lines.join()).not.toContain('Rex');
  });

  it('are logged with the node of a cluster that refused them', () => {
    const where = 'while executing command on 10.0.0.5:5432';
    new RefusalLog().count(Object.assign(refusal('53100'), { where }));
    expect(lines).toEqual([
      `The database refuses statements, which are answered 503: could not extend file, ${where} (53100)`,
    ]);
  });

  it('are logged without the words of a function in the database, which may quote what a client sent', () => {
    const error = new DatabaseError('no room for Rex', 0, 'error');
    new RefusalLog().count(Object.assign(error, { code: '53100', where: 'PL/pgSQL function f() line 2' }));
    expect(lines).toEqual([
      'The database refuses statements, which are answered 503: a function of the database raised an error (53100)',
    ]);
  });
});
