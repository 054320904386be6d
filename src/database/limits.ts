/**
 * What the database is given time for. A request gets its answer within a second whatever becomes of the database, so
 * waiting for a turn and for the answer together stay below that, and so does noticing that nothing answers any more.
 */
export const DATABASE_LIMITS = {
  /** How long a statement may wait for its turn. */
  waitMs: 350,
  /** How long the server may work on a statement, such as one that waits for a lock: it ends it, and nothing is stored. */
  statementMs: 400,
  /** How long the answer may take from the sending on. After that the connection is given up. */
  answerMs: 600,
  /** How many statements may wait, and how many are sent at once: some, so that the server works while others are read. */
  waiting: 2_000,
  batch: 16,
  /** How often the server is asked whether it is there, and how long it may keep silent before it counts as away. */
  heartbeatMs: 150,
  silenceMs: 650,
  /** How long a connection may take to be made: longer than any request waits for it. */
  connectMs: 2_000,
} as const;

/** Statements of TypeORM's own, such as those of command lines, have more time. */
export const SLOW_STATEMENT_LIMITS = { statement_timeout: 3_000, query_timeout: 4_000 } as const;
