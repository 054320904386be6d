/** A statement as it is written once: with a name, under which the server keeps it prepared. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** What the columns of a row are called, in their order. */
  readonly properties: readonly string[];
  /** Behind these columns comes one more, which says to which place of the arrays a row belongs, from 1 on. */
  readonly isNumbered?: boolean;
  /** The same for many rows at once, with an array in the place of each value. */
  readonly forMany?: Statement | undefined;
}

export type Row = Record<string, unknown>;

/** A statement with its values, and somebody who waits for the rows. */
export interface Execution {
  readonly statement: Statement;
  readonly values: readonly unknown[];
  /** When it began to wait. */
  readonly since: number;
  readonly resolve: (rows: Row[]) => void;
  readonly reject: (error: unknown) => void;
  /** What it asks, when others that ask the same may share its answer. */
  readonly question?: string | undefined;
  /** Those that were put together into this one. */
  readonly parts?: readonly Execution[];
}
