import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { getRepositoryToken } from '@nestjs/typeorm';
import pg from 'pg';
import { Column, DataSource, Entity, ForeignKey, PrimaryGeneratedColumn, type QueryRunner } from 'typeorm';
import { notFound } from '../../src/api/errors/api-error.js';
import type { BatchedRepository } from '../../src/database/batching/batched-repository.js';
import {
  DatabaseBusy,
  DatabaseOutage,
  DatabaseRefusal,
  OutcomeUnknown,
} from '../../src/database/database-errors.js';
import { RecordedChange } from '../../src/database/transactions/recorded-change.js';
import { type Transaction, Transactions } from '../../src/database/transactions/transactions.js';
import { Kept } from '../../src/database/kept.js';
import { describeOnServer } from './support/database.js';
import { describeInside } from './support/deployment.js';
import { type Feature, startFeature } from './support/feature.js';

const ID = { type: 'bigint', generatedIdentity: 'ALWAYS' } as const;

@Kept('distributed')
@Entity('shelves')
class Shelf {
  @PrimaryGeneratedColumn('identity', ID)
  readonly id!: bigint;

  @Column('text')
  readonly label!: string;
}

@Kept('distributed')
@Entity('boxes')
class Box {
  @PrimaryGeneratedColumn('identity', ID)
  readonly id!: bigint;

  @ForeignKey(() => Shelf, { name: 'boxes_shelf' })
  @Column('bigint', { name: 'shelf_id' })
  readonly shelfId!: bigint;
}

class CreateStorage1000000000000 {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE shelves (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, label text NOT NULL CHECK (label <> ''));
      CREATE TABLE boxes (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        shelf_id bigint NOT NULL CONSTRAINT boxes_shelf REFERENCES shelves DEFERRABLE INITIALLY DEFERRED
      )`);
  }

  async down(): Promise<void> {}
}

describeInside('A transaction', () => {
  let feature: Feature;
  let transactions: Transactions;
  let shelves: BatchedRepository<Shelf>;
  let boxes: BatchedRepository<Box>;
  beforeAll(async () => {
    feature = await startFeature([Shelf, Box], [CreateStorage1000000000000]);
    transactions = feature.app.get(Transactions);
    shelves = feature.app.get(getRepositoryToken(Shelf));
    boxes = feature.app.get(getRepositoryToken(Box));
  });
  afterAll(() => feature.stop());
  beforeEach(() => feature.app.get(DataSource).query('TRUNCATE shelves, boxes'));

  /** A busy machine may be too slow for a transaction. */
  async function run<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await transactions.run(work);
      } catch (error) {
        if (!(error instanceof DatabaseBusy) || error.cause || attempt === 10) throw error;
      }
    }
  }

  it('sees its own inserts, whichever methods read and write, and commits them together', async () => {
    const [shelf, box] = await run(async (transaction) => {
      const [ownShelves, ownBoxes] = [transaction.withRepository(shelves), transaction.withRepository(boxes)];
      const shelf = await ownShelves.add({ label: 'top' });
      expect(await ownShelves.readOne({ id: shelf.id })).toEqual(shelf);
      expect((await ownShelves.readPage({ filters: { label: 'top' }, limit: 5 })).items).toEqual([shelf]);
      await ownShelves.update({ id: shelf.id, label: 'top' }, { label: 'bottom' });
      expect(await ownShelves.createQueryBuilder('s').where('s.label = :l', { l: 'bottom' }).getCount()).toBe(
        1,
      );
      return [shelf, await ownBoxes.add({ shelfId: shelf.id })];
    });
    expect(await shelves.readOne({ id: shelf.id })).toEqual({ ...shelf, label: 'bottom' });
    expect(await boxes.findBy({ shelfId: shelf.id })).toEqual([box]);
  });

  it('returns rows that are instances of their entity', async () => {
    const shelf = await run((transaction) => transaction.withRepository(shelves).add({ label: 'top' }));
    expect(shelf).toBeInstanceOf(Shelf);
    expect(await shelves.readOne({ id: shelf.id })).toBeInstanceOf(Shelf);
  });

  it('rolls its inserts back when its work rejects, with the error of the work', async () => {
    const work = async (transaction: Transaction) => {
      await transaction.withRepository(shelves).add({ label: 'lost' });
      throw notFound('box');
    };
    await expect(run(work)).rejects.toMatchObject({ code: 'not_found' });
    expect(await shelves.count()).toBe(0);
  });

  it('is refused at once when too many others wait for a connection', async () => {
    const refusals: unknown[] = [];
    const all = Array.from({ length: 60 }, () =>
      transactions.run(() => delay(20)).catch((error: unknown) => void refusals.push(error)),
    );
    await Promise.resolve();
    await delay(0);
    expect(refusals).toHaveLength(60 - 32);
    expect(refusals.every((error) => error instanceof DatabaseBusy)).toBe(true);
    await Promise.all(all);
    await run((transaction) => transaction.withRepository(shelves).add({ label: 'afterwards' }));
  });

  it('does not begin without the time for a statement, whose connection would be abandoned', async () => {
    const work = jest.fn(() => Promise.resolve());
    const recorded = new RecordedChange(transactions, true, performance.now() + 300);
    await expect(recorded.run(() => transactions.run(work))).rejects.toBeInstanceOf(DatabaseBusy);
    expect(work).not.toHaveBeenCalled();
    await expect(transactions.run(work)).resolves.toBeUndefined();
  });

  it('is invisible to others until it commits', async () => {
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    let ended!: Promise<void>;
    await new Promise<void>((added) => {
      ended = transactions.run(async (transaction) => {
        await transaction.withRepository(shelves).add({ label: 'soon' });
        added();
        await held;
      });
    });
    const seen = shelves.readPage({ limit: 5 });
    // The embedded engine has one session, so the read waits for the commit there.
    if (process.env['DATABASE_URL']) await seen;
    release();
    await ended;
    expect((await seen).items.length).toBe(process.env['DATABASE_URL'] ? 0 : 1);
  });

  const outside: [string, () => Promise<unknown>][] = [
    ['readOne', () => shelves.readOne({ id: 1n })],
    ['readPage', () => shelves.readPage({ limit: 1 })],
    ['add', () => shelves.add({ label: 'elsewhere' })],
    ['TypeORM’s find', () => shelves.find()],
    ['TypeORM’s update', () => shelves.update({ id: 1n }, { label: 'elsewhere' })],
    ['a query builder', () => shelves.createQueryBuilder().getMany()],
    ['SQL', () => shelves.query('SELECT 1')],
    ['another transaction', () => transactions.run(async () => {})],
    ['another transaction of TypeORM', () => shelves.manager.transaction(async () => {})],
  ];
  it.each(outside)('refuses %s of the repository outside, at once', async (_, use) => {
    const message = /outside of the open transaction.*withRepository/;
    const begun = performance.now();
    await expect(run(use)).rejects.toThrow(message);
    await expect(shelves.manager.transaction(use)).rejects.toThrow(message);
    expect(performance.now() - begun).toBeLessThan(5_000);
    expect(await shelves.count()).toBe(0);
  });

  it('can be nested: the inner one is a savepoint', async () => {
    await run(async (transaction) => {
      await transaction.withRepository(shelves).add({ label: 'kept' });
      const inner = transaction.transaction(async (savepoint) => {
        await savepoint.withRepository(shelves).add({ label: 'undone' });
        throw new Error('no');
      });
      await expect(inner).rejects.toThrow('no');
    });
    expect((await shelves.find()).map(({ label }) => label)).toEqual(['kept']);
  });

  it('rejects with the error of PostgreSQL when a constraint is violated, at once or at the commit', async () => {
    const error = (work: (transaction: Transaction) => Promise<unknown>) =>
      run(work).catch((thrown: unknown) => thrown);
    const atOnce = await error((transaction) => transaction.withRepository(shelves).add({ label: '' }));
    expect(atOnce).toBeInstanceOf(pg.DatabaseError);
    expect(atOnce).toMatchObject({ code: '23514', constraint: 'shelves_label_check' });
    const throughTypeOrm = await error((transaction) =>
      transaction.withRepository(shelves).insert({ label: '' }),
    );
    expect(throughTypeOrm).toMatchObject({ code: '23514' });
    expect(throughTypeOrm).toBeInstanceOf(pg.DatabaseError);
    const atCommit = await error((transaction) => transaction.withRepository(boxes).add({ shelfId: -1n }));
    expect(atCommit).toMatchObject({ code: '23503', constraint: 'boxes_shelf' });
  });

  it('does not pretend to have committed after a failed statement whose error was ignored', async () => {
    const work = async (transaction: Transaction) => {
      await transaction.withRepository(shelves).add({ label: 'kept?' });
      await transaction
        .withRepository(shelves)
        .add({ label: '' })
        .catch(() => {});
    };
    await expect(run(work)).rejects.toThrow('its error was caught');
    expect(await shelves.count()).toBe(0);
  });

  const raise = (transaction: Transaction, code: string) =>
    transaction.query(`DO $$ BEGIN RAISE 'no' USING ERRCODE = '${code}'; END $$`);

  it('runs again after a conflict, and is then refused as busy', async () => {
    let runs = 0;
    await run(async (transaction) => {
      await transaction.withRepository(shelves).add({ label: `run ${runs}` });
      if (runs++ === 0) await raise(transaction, '40001');
    });
    expect((await shelves.find()).map(({ label }) => label)).toEqual(['run 1']);
    await expect(transactions.run((transaction) => raise(transaction, '40P01'))).rejects.toBeInstanceOf(
      DatabaseBusy,
    );
  });

  it('is refused, and the reason logged, when the server cannot do it', async () => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
    await expect(run((transaction) => raise(transaction, '53100'))).rejects.toBeInstanceOf(DatabaseRefusal);
    expect(logged).toHaveBeenCalledWith(expect.stringContaining('53100'));
    logged.mockRestore();
  });

  it('is refused, and stores nothing, when its work takes too long', async () => {
    const work = async (transaction: Transaction) => {
      await transaction.withRepository(shelves).add({ label: 'late' });
      await delay(3_000, undefined, { ref: false });
    };
    await expect(transactions.run(work)).rejects.toBeInstanceOf(DatabaseBusy);
    expect(await shelves.count()).toBe(0);
  });

  it('has an unknown outcome when COMMIT is not answered', async () => {
    const { prototype } = pg.Client;
    const { query } = prototype;
    prototype.query = function lose(this: pg.Client, ...given: unknown[]) {
      const answer = (query as (...given: unknown[]) => Promise<unknown>).apply(this, given);
      return given[0] === 'COMMIT' ? answer.then(() => new Promise(() => {})) : answer;
    } as never;
    try {
      const lost = transactions.run((transaction) =>
        transaction.withRepository(shelves).add({ label: 'there' }),
      );
      await expect(lost).rejects.toBeInstanceOf(OutcomeUnknown);
    } finally {
      prototype.query = query;
    }
    expect(await shelves.count()).toBe(1);
  });

  describeOnServer('on a server', () => {
    it('is refused, and stores nothing, when its connection breaks', async () => {
      const work = async (transaction: Transaction) => {
        await transaction.withRepository(shelves).add({ label: 'lost' });
        await transaction.query('SELECT pg_terminate_backend(pg_backend_pid())').catch(() => {});
        await transaction.withRepository(shelves).add({ label: 'lost, too' });
      };
      await expect(transactions.run(work)).rejects.toBeInstanceOf(DatabaseOutage);
      await expect(transactions.run(work)).rejects.not.toBeInstanceOf(OutcomeUnknown);
      expect(await shelves.count()).toBe(0);
    });

    it.each([
      ['begin', /^BEGIN;/, 'BEGIN; SELECT 1 / 0'],
      ['roll back', 'ROLLBACK', 'SELECT 1 / 0'],
    ])(
      'leaves no connection to others in a transaction that failed to %s',
      async (_what, original, failing) => {
        const query = pg.Client.prototype.query as (this: pg.Client, ...args: unknown[]) => never;
        let isOver = false;
        const spy = jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
          this: pg.Client,
          ...[text, ...rest]: unknown[]
        ) {
          const fails = !isOver && typeof text === 'string' && text.search(original) === 0;
          isOver ||= fails;
          return query.call(this, fails ? failing : text, ...rest);
        });
        const refused = run((transaction) => transaction.withRepository(shelves).add({ label: '' }));
        await expect(refused).rejects.toBeInstanceOf(pg.DatabaseError);
        spy.mockRestore();
        expect(isOver).toBe(true);
        for (let i = 0; i < 3; i++)
          await run((transaction) => transaction.withRepository(shelves).add({ label: 'good' }));
        expect(await shelves.count()).toBe(3);
      },
    );

    it('has the time limit of statements of requests, which ends with it', async () => {
      const limit = (manager: Transaction) => manager.query('SHOW statement_timeout');
      expect(await run(limit)).toEqual([{ statement_timeout: '400ms' }]);
      expect(await limit(shelves.manager)).not.toEqual([{ statement_timeout: '400ms' }]);
    });

    it('is refused, and the reason logged, while others keep all connections for themselves', async () => {
      const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => {});
      const dataSource = feature.app.get(DataSource);
      const kept = Array.from({ length: 20 }, () => dataSource.createQueryRunner());
      await Promise.allSettled(kept.map((runner) => runner.startTransaction()));
      try {
        for (
          const end = performance.now() + 10_000;
          performance.now() < end && logged.mock.calls.length === 0;
        )
          await expect(transactions.run(() => Promise.resolve())).rejects.toBeInstanceOf(DatabaseBusy);
        expect(logged.mock.calls).toEqual([[expect.stringContaining('for a connection')]]);
      } finally {
        await Promise.all(kept.map((runner) => runner.release()));
        logged.mockRestore();
      }
      await run((transaction) => transaction.withRepository(shelves).add({ label: 'afterwards' }));
    });

    it('is ended by the server if the service no longer answers', async () => {
      const limit = (manager: Transaction) => manager.query('SHOW idle_in_transaction_session_timeout');
      expect(await run(limit)).toEqual([{ idle_in_transaction_session_timeout: '950ms' }]);
      expect(await limit(shelves.manager)).toEqual([{ idle_in_transaction_session_timeout: '0' }]);
    });

    it('waits for a lock no longer than any statement of a request', async () => {
      const { id } = await shelves.add({ label: 'locked' });
      const change = (transaction: Transaction) =>
        transaction.withRepository(shelves).update({ id }, { label: 'changed' });
      let release!: () => void;
      const held = new Promise<void>((resolve) => (release = resolve));
      let holder!: Promise<void>;
      await new Promise<void>((locked) => {
        holder = shelves.manager.transaction(async (transaction) => {
          await change(transaction);
          locked();
          await held;
        });
      });
      await expect(transactions.run(change)).rejects.toBeInstanceOf(DatabaseBusy);
      release();
      await holder;
    });
  });

  it('refuses the repository of a transaction that has ended', async () => {
    const late = await run(async (transaction) => transaction.withRepository(shelves));
    await expect(late.readPage({ limit: 1 })).rejects.toThrow('released');
  });
});
