import type { EntityManager } from 'typeorm';
import type { Owner } from '../batching/owners.js';
import type { Companion, Hold } from '../batching/statement.js';
import {
  currentScope,
  inScope,
  OUTSIDE,
  outsideScopes,
  type Scope,
  type StatementKind,
} from './open-transaction.js';

/** The change was rolled back, maybe through no fault of its own. The work must run again. `cause`: why its batch was refused. */
export class RunAgain extends Error {
  override readonly name = 'RunAgain';

  constructor(
    options?: ErrorOptions,
    /** Whose it was. After `none`, the next attempt may share a transaction with all. */
    readonly fault: 'own' | 'none' | 'unknown' = 'unknown',
  ) {
    super(undefined, options);
  }
}

interface TransactionRunner {
  run<T>(work: (transaction: EntityManager) => Promise<T>): Promise<T>;
}

/** Rolls back a transaction that changed nothing. */
const NO_ROW = new Error('No row meets the conditions.');

const UNRECORDED =
  "A change by TypeORM's own methods cannot be committed with the record of its answer: make it in `Transactions.run`, or by `add`, `change` or `discard`.";

/**
 * One attempt of work whose change is committed only with a companion, which depends on what the work returns. The first
 * change that the work makes, in a transaction or by a method of `BatchedRepository`, is held: the work goes on with its
 * rows, and `commit` ends it. A second one, or a read that would not see the first, is refused.
 */
export class RecordedChange implements Scope {
  private state: 'none' | 'begun' | 'held' = 'none';
  private isRunning = false;
  private mustRunAgain = false;
  private committed: Promise<unknown> | undefined;
  private commitWith: ((companion?: Companion) => void) | undefined;
  /** How the work ended, which may be before its change is held. */
  private ending: { readonly companion?: Companion | undefined } | undefined;

  constructor(
    private readonly transactions: TransactionRunner,
    /** Whether the change must not share a transaction with those of others. */
    private readonly isAlone: boolean,
    /** When the transaction ends, by `performance.now()`. */
    readonly deadline: number,
    readonly owner?: Owner,
    /** Those it may share one with, if not all. */
    readonly party?: Owner,
  ) {}

  /** The attempt that the calling work belongs to. Throws if its change has begun. */
  static ofCaller(): RecordedChange | undefined {
    const scope = currentScope();
    if (!(scope instanceof RecordedChange) || !scope.isRunning) return undefined;
    if (scope.state !== 'none') throw new Error(OUTSIDE);
    return scope;
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    this.isRunning = true;
    return inScope(this, work, () => (this.isRunning = false));
  }

  refusalOf(kind: StatementKind): string | undefined {
    if (!this.isRunning) return undefined;
    if (this.state !== 'none') return OUTSIDE;
    return kind === 'change' ? UNRECORDED : undefined;
  }

  /** Resolves with the rows of the change while `change` waits for the companion. */
  hold<T>(change: (hold: Hold<T>) => Promise<unknown>): Promise<T> {
    this.state = 'begun';
    return new Promise<T>((resolve, reject) => {
      const hold: Hold<T> = (result, commitWith) => {
        this.state = 'held';
        this.commitWith = commitWith;
        if (this.ending) commitWith(this.ending.companion);
        resolve(result);
      };
      const committed = outsideScopes(() => change(hold));
      this.committed = committed;
      committed.catch((error: unknown) => {
        this.mustRunAgain ||= error instanceof RunAgain;
        if (this.state === 'held') return; // `commit` reports it
        this.state = 'none';
        this.committed = undefined;
        reject(error);
      });
    });
  }

  /** Makes a change by `hold`, or in a transaction of its own if it must not share one. */
  make<T>(
    alone: (transaction: EntityManager) => Promise<T>,
    shared: (hold: Hold<T>) => Promise<unknown>,
  ): Promise<T> {
    return this.isAlone ? this.transactions.run(alone) : this.hold(shared);
  }

  /** A change of one row. Without the row nothing is held, so that the work may read why. */
  async makeOfRow<T>(change: (transaction: EntityManager) => Promise<T | null>): Promise<T | null> {
    try {
      return await this.transactions.run(async (transaction) => {
        const row = await change(transaction);
        if (row === null) throw NO_ROW;
        return row;
      });
    } catch (error) {
      if (error === NO_ROW) return null;
      throw error;
    }
  }

  /** Without a change, `insert` commits the companion. */
  async commit(companion: Companion, insert: (companion: Companion) => Promise<unknown>): Promise<void> {
    if (this.committed) this.end(companion);
    else if (this.mustRunAgain) throw new RunAgain();
    await (this.committed ?? insert(companion));
  }

  async rollBack(): Promise<void> {
    this.end();
    await this.committed?.catch(() => {});
  }

  private end(companion?: Companion): void {
    this.ending = { companion };
    this.commitWith?.(companion);
  }
}
