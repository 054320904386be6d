import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { done, error, FakePostgres, insert, READY } from '../../../test/support/fake-postgres.js';
import { Availability } from '../availability.js';
import { RefusalLog } from '../refusal-log.js';
import { RunAgain } from '../transactions/recorded-change.js';
import { RecentLock } from './recent-lock.js';
import { BatchSize } from './batch-size.js';
import { Isolation } from './isolation.js';
import { Owners } from './owners.js';
import { PROBED, Probes } from './probes.js';
import { RecordedSender } from './recorded-sender.js';
import type { PendingQuery } from './statement.js';

Logger.overrideLogger(false);

describe('RecordedSender', () => {
  let isolation: Isolation;
  let probes: Probes;
  let named: boolean;
  let size: BatchSize;
  /** What the sender allows a batch to have, if not as many as the size says. */
  let most: number | undefined;
  beforeEach(() => {
    isolation = new Isolation();
    probes = new Probes(new Owners());
    size = new BatchSize(2, 4);
    named = true;
  });

  /** Resolves with what each request learns: the code of a final refusal, or whose fault it was that it must run again. */
  async function send(server: FakePostgres, count: number): Promise<unknown[]> {
    const queries: PendingQuery[] = [];
    const outcomes = Array.from(
      { length: count },
      () =>
        new Promise<unknown>((resolve, reject) =>
          queries.push({
            statement: insert,
            values: ['a'],
            since: performance.now(),
            resolve: () => resolve('stored'),
            reject,
            hold: (_, commitWith) => commitWith({ statement: insert, values: ['record'] }),
          }),
        ),
    );
    const target = {
      pool: server.pool,
      availability: new Availability(),
      refusals: new RefusalLog(),
      locks: new RecentLock(),
      isolation,
      probes,
      size,
      kind: 'write',
      named,
    } as const;
    const take = (allowed?: number): PendingQuery[] => {
      most = allowed;
      return queries;
    };
    const ended = new Promise((end) => new RecordedSender(target, end).start(take));
    const settled = outcomes.map((outcome) =>
      outcome.catch((reason: Error & { code?: string }) =>
        reason instanceof RunAgain ? `run again, fault: ${reason.fault}` : (reason.code ?? reason),
      ),
    );
    await ended;
    return Promise.all(settled);
  }

  const AGAIN = {
    own: 'run again, fault: own',
    none: 'run again, fault: none',
    unknown: 'run again, fault: unknown',
  };
  const BEGUN = done();
  const OK = [done(), READY];
  /** Begins, with limits and a savepoint; each insert has its constraints checked, and sets the next savepoint. */
  const ISOLATED_TWO = '---|-one---|-----|';
  const ISOLATED_THREE = `${ISOLATED_TWO}-----|`;
  const BACK = [done()];
  const BEGIN = [done(), done(), done(), READY, ...BACK];
  const inserted = [done(['a']), done(), done(), done(), READY];
  const refused = (code: string) => [error(code), READY];
  const COMMITTED = [...BACK, done(), done(['a', '1'], ['a', '2']), ...OK];

  it.each(['23505', '55P03', '40001', '53100', '22003'])('isolates inserts after %s', async (code) => {
    const server = new FakePostgres((asked) => (asked === '-many|' ? [BEGUN, error(code), READY] : OK));
    expect(await send(server, 2)).toEqual([AGAIN.none, AGAIN.none]);
    expect(isolation.isOn).toBe(true);
  });

  it('isolates inserts after a trigger has raised the code of a time limit', async () => {
    const raised = error('57014', 'ERROR', 'exec_stmt_raise');
    const server = new FakePostgres((asked) => (asked === '-many|' ? [BEGUN, raised, READY] : OK));
    expect(await send(server, 2)).toEqual([AGAIN.none, AGAIN.none]);
    expect(isolation.isOn).toBe(true);
  });

  it('isolates inserts after one was refused, and then that one fails alone, which is tried once more', async () => {
    const server = new FakePostgres((asked) => {
      if (asked === '-many|') return [BEGUN, error('23505'), READY];
      if (asked === ISOLATED_THREE)
        return [...BEGIN, ...inserted, ...BACK, ...refused('23505'), ...BACK, ...inserted];
      if (asked === '--one-|-|') return [done(), done(), error('23514'), READY, ...OK];
      return asked === '--many-|' ? COMMITTED : OK;
    });
    expect(await send(server, 3)).toEqual([AGAIN.none, AGAIN.none, AGAIN.none]);
    expect(await send(server, 3)).toEqual(['stored', '23514', 'stored']);
    expect(server.received).toEqual(['-many|', '-|', ISOLATED_THREE, '--many-|', '--one-|-|']);
  });

  it('has larger batches after a full one that was quick, and isolates 16 inserts at most', async () => {
    const server = new FakePostgres((asked) =>
      asked === '-many|'
        ? [BEGUN, done(['a', '1'], ['a', '2']), READY]
        : [done(['a', '1'], ['a', '2']), ...OK],
    );
    expect(await send(server, 2)).toEqual(['stored', 'stored']);
    expect([size.most, most]).toEqual([4, undefined]);
    isolation.begin(60_000);
    const isolated = new FakePostgres((asked) =>
      asked === ISOLATED_TWO ? [...BEGIN, ...inserted, ...BACK, ...inserted] : COMMITTED,
    );
    size = new BatchSize(2, 4);
    expect(await send(isolated, 2)).toEqual(['stored', 'stored']);
    expect([size.most, most]).toEqual([2, 16]);
  });

  it('has small batches after one whose answer was lost', async () => {
    size.answered(2, 1);
    expect(size.most).toBe(4);
    expect(await send(new FakePostgres(() => []), 1)).toEqual([AGAIN.unknown]);
    expect(size.most).toBe(2);
  });

  it('isolates a few inserts after a batch that was cancelled, and compares their times', async () => {
    const compare = jest.spyOn(probes, 'compare');
    const server = () =>
      new FakePostgres((asked) => {
        if (asked === '-many|') return [BEGUN, ...refused('57014')];
        if (asked === '-|') return OK;
        return asked === ISOLATED_TWO ? [...BEGIN, ...inserted, ...BACK, ...inserted] : COMMITTED;
      });
    expect(await send(server(), 2)).toEqual([AGAIN.unknown, AGAIN.unknown]);
    expect(compare).not.toHaveBeenCalled();
    expect([await send(server(), 2), most]).toEqual([['stored', 'stored'], PROBED]);
    expect(compare.mock.calls[0]?.[0].statements).toHaveLength(2);
    expect([await send(server(), 2), most]).toEqual([['stored', 'stored'], 2 * PROBED]);
  });

  it('has an insert run again that succeeds alone', async () => {
    isolation.begin(60_000);
    const server = new FakePostgres((asked) => {
      if (asked === ISOLATED_TWO) return [...BEGIN, ...inserted, ...BACK, ...refused('23505')];
      return asked === '--one-|-|' ? [done(), done(), done(['a']), done(), READY, ...OK] : COMMITTED;
    });
    expect(await send(server, 2)).toEqual(['stored', AGAIN.own]);
  });

  it('needs no further try for an insert before which none succeeded', async () => {
    isolation.begin(60_000);
    const server = new FakePostgres((asked) =>
      asked === ISOLATED_TWO ? [...BEGIN, ...refused('23505'), ...BACK, ...inserted] : COMMITTED,
    );
    expect(await send(server, 2)).toEqual(['23505', 'stored']);
    expect(server.received).toEqual([ISOLATED_TWO, '--one-|']);
  });

  it('takes what fails with the check of the constraints for the fault of the insert before it', async () => {
    isolation.begin(60_000);
    const server = new FakePostgres((asked) =>
      asked === ISOLATED_TWO
        ? [...BEGIN, done(['a']), error('23514'), READY, ...BACK, ...inserted]
        : COMMITTED,
    );
    expect(await send(server, 2)).toEqual(['23514', 'stored']);
  });

  it.each([
    ['that met a lock, while others met none', 'own', inserted],
    ['that met a lock, as all did', 'none', refused('55P03')],
  ] as const)('has an insert run again %s: fault %s', async (_what, fault, other) => {
    isolation.begin(60_000);
    const server = new FakePostgres((asked) => {
      if (asked === ISOLATED_TWO) return [...BEGIN, ...refused('55P03'), ...BACK, ...other];
      return asked === '-|' ? OK : COMMITTED;
    });
    expect((await send(server, 2))[0]).toBe(AGAIN[fault]);
  });

  it('rolls back when all are refused, and tells each why', async () => {
    isolation.begin(60_000);
    const server = new FakePostgres((asked) =>
      asked === ISOLATED_TWO ? [...BEGIN, ...refused('23505'), ...BACK, ...refused('23514')] : OK,
    );
    expect(await send(server, 2)).toEqual(['23505', '23514']);
    expect(server.received).toEqual([ISOLATED_TWO, '-|']);
  });

  it('has the refused one run again when those before it are not committed', async () => {
    isolation.begin(60_000);
    const server = new FakePostgres((asked) => {
      if (asked === ISOLATED_TWO) return [...BEGIN, ...inserted, ...BACK, ...refused('23505')];
      return asked === '-|' ? OK : [...BACK, done(), error('23505', 'ERROR', '_bt_check_unique'), READY];
    });
    expect(await send(server, 2)).toEqual([AGAIN.none, AGAIN.none]);
  });

  it('knows that an insert without others is at fault itself', async () => {
    const server = new FakePostgres((asked) => (asked === '-one|' ? [BEGUN, error('23505'), READY] : OK));
    expect(await send(server, 1)).toEqual(['23505']);
    expect([server.received, isolation.isOn]).toEqual([['-one|', '-|'], true]);
  });

  it('isolates and tries inserts in one transaction each, as poolers take no pipelined ones', async () => {
    named = false;
    isolation.begin(60_000);
    const server = new FakePostgres((asked) => {
      if (asked.startsWith('----|-'))
        return [done(), ...BEGIN, ...inserted, ...BACK, ...refused('23505'), ...BACK, ...refused('23505')];
      if (asked.startsWith('------|'))
        return [
          done(),
          done(),
          done(),
          done(),
          ...refused('23505'),
          ...BACK,
          done(['a']),
          done(),
          READY,
          ...OK,
        ];
      return [...BACK, done(), done(['a', '1']), ...OK];
    });
    expect(await send(server, 3)).toEqual(['stored', '23505', AGAIN.own]);
    expect(server.received).toEqual(['----|-----|-----|-----|', '----|', '------|---|-|']);
  });

  it('isolates inserts after the commit refused them', async () => {
    const server = new FakePostgres((asked) => {
      if (asked === '-many|') return [BEGUN, done(['a', '1'], ['a', '2']), READY];
      return asked === 'many-|' ? [done(['a', '1']), error('23514', 'ERROR', 'exec_stmt_raise'), READY] : OK;
    });
    expect(await send(server, 2)).toEqual([AGAIN.none, AGAIN.none]);
    expect(isolation.isOn).toBe(true);
  });

  it.each(['40001', '53100', '08006'])(
    'has one insert run again after %s, and stores the others',
    async (code) => {
      isolation.begin(60_000);
      const server = new FakePostgres((asked) => {
        if (asked === ISOLATED_TWO) return [...BEGIN, ...inserted, ...BACK, ...refused(code)];
        return COMMITTED;
      });
      expect(await send(server, 2)).toEqual(['stored', AGAIN.own]);
    },
  );

  it('has all run again when the transaction failed with an insert', async () => {
    isolation.begin(60_000);
    const server = new FakePostgres((asked) =>
      asked === ISOLATED_THREE
        ? [...BEGIN, ...inserted, ...BACK, ...refused('53100'), error('25P02'), READY]
        : OK,
    );
    expect(await send(server, 3)).toEqual([AGAIN.unknown, AGAIN.none, AGAIN.unknown]);
    expect(server.received).toEqual([ISOLATED_THREE, '-|']);
  });

  it.each(['57014', '08006'])('goes on combining inserts after %s', async (code) => {
    const server = new FakePostgres((asked) => (asked === '-many|' ? [BEGUN, error(code), READY] : OK));
    expect(await send(server, 2)).toEqual([AGAIN.unknown, AGAIN.unknown]);
    expect(isolation.isOn).toBe(false);
  });

  it.each([
    ['a record that is there already is', '23505', AGAIN.none],
    ['another refusal of a record is not', '23514', AGAIN.unknown],
  ])(
    'goes on combining inserts, and knows that the next attempt finds out: %s',
    async (_what, code, outcome) => {
      const server = new FakePostgres((asked) => {
        if (asked === '-many|') return [BEGUN, done(['a', '1'], ['a', '2']), READY];
        return asked === 'many-|' ? [error(code, 'ERROR', '_bt_check_unique'), READY] : OK;
      });
      expect(await send(server, 2)).toEqual([outcome, outcome]);
      expect(isolation.isOn).toBe(false);
    },
  );

  it.each([
    ['combines inserts again', 'isolated', false],
    ['goes on isolating inserts', 'combined', true],
  ])('%s once %s ones were slow', async (_what, sent, isOn) => {
    let exchanges = 0;
    const slow = (): void => {
      if (++exchanges > 1) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 310);
      isolation.begin(60_000); // another batch began it meanwhile
    };
    if (sent === 'isolated') isolation.begin(60_000);
    const server = new FakePostgres((asked) => {
      if (asked === ISOLATED_TWO) return [...BEGIN, ...inserted, ...BACK, ...inserted];
      if (asked === '--many-|') return COMMITTED;
      return asked === '-many|'
        ? [BEGUN, done(['a', '1'], ['a', '2']), READY]
        : [done(['a', '1'], ['a', '2']), ...OK];
    }, slow);
    expect(await send(server, 2)).toEqual(['stored', 'stored']);
    expect(isolation.isOn).toBe(isOn);
  });
});
