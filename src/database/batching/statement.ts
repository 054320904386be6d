import { DATABASE_LIMITS } from '../limits.js';
import type { Decoder } from './column-values.js';
import type { Owner } from './owners.js';

/** A statement with the name under which a connection keeps it prepared. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** The properties of a row, in the order of its columns. */
  readonly properties: readonly string[];
  /** The class of a row. */
  readonly rowClass?: new () => object;
  /** By column, for the values that need more than pg's parser. */
  readonly decoders?: readonly (Decoder | undefined)[];
  /** Whether one more column follows: the position of the row in the arrays, from 1 on. */
  readonly isNumbered?: boolean;
  /** The same statement for many rows, with an array in place of each value. */
  readonly forMany?: Statement | undefined;
}

export type Row = Record<string, unknown>;

/** An insert that is committed together with a change: the record of what was answered. */
export interface Companion {
  readonly statement: Statement;
  readonly values: readonly unknown[];
}

/**
 * Takes the result of a change that is not committed yet. Its caller calls `commitWith` once: with the companion, or
 * without one to have the change rolled back.
 */
export type Hold<T> = (result: T, commitWith: (companion?: Companion) => void) => void;

/** A statement with its values, whose caller waits for the rows. */
export interface PendingQuery {
  readonly statement: Statement;
  /** As an `Encoder` returns them. Those of combined inserts are arrays of such values. */
  readonly values: readonly unknown[];
  /** When it was queued, by `performance.now()`. */
  readonly since: number;
  readonly resolve: (rows: Row[]) => void;
  readonly reject: (error: unknown) => void;
  /** Takes the rows before the commit, for an insert that is committed with a companion. `resolve` follows the commit. */
  readonly hold?: Hold<Row[]> | undefined;
  /** Whose it is, if that is known. */
  readonly owner?: Owner | undefined;
  /** Those that it shares batches with, where these are not for all. */
  readonly party?: Owner | undefined;
  /** Frees its place among those that wait for many, if it has one. */
  readonly free?: (() => void) | undefined;
  /** Equal for reads that may share an answer. */
  readonly shareKey?: string | undefined;
  /** The inserts that were combined into this one. */
  readonly parts?: readonly PendingQuery[];
}

/** Returns a test for queries that have waited for too long at a moment. */
export const lateAt =
  (now: number) =>
  ({ since }: PendingQuery): boolean =>
    now - since >= DATABASE_LIMITS.waitMs;
