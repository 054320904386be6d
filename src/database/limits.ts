/**
 * Time limits of the database. A request is answered within a second whatever happens to the database: the wait in the
 * queue plus the wait for the answer stay below that, and so does the detection of an outage.
 */
export const DATABASE_LIMITS = {
  /** In the queue. */
  waitMs: 350,
  /** On the server, for instance while it waits for a lock. The server then cancels the statement. */
  statementMs: 400,
  /** For a lock, in a queue, where other statements wait behind. Longer than migrations hold up statements. */
  lockMs: 250,
  /** From sending to the answer. The connection is then destroyed. */
  answerMs: 600,
  /** The length of a queue. */
  waiting: 2_000,
  /** The statements of a batch. Small enough that the server works on one batch while this process reads another. */
  batch: 16,
  /** Of one whose time is that of the way to the server, or of the commit. */
  largeBatch: 64,
  /** The connections of a pool whose answer is overdue, until it refuses statements. */
  abandoned: 2,
  /** After which a server process counts as hung. A pool may have as many of these besides. */
  hungMs: 10_000,
  /** Until a pool that refuses statements for that reason makes the service unready, if it is the one of the reads. */
  stalledMs: 2_000,
  /** Transactions that wait for a connection. Further ones are refused at once, so that waiting occupies few requests. */
  waitingTransactions: 32,
  /** Until the requests of a batch of recorded inserts have rendered their answers, normally in the same turn. */
  renderMs: 25,
  heartbeatMs: 150,
  /** Without any message from the server, until the database counts as away. */
  silenceMs: 650,
  /**
   * How old a connection is at least that an error replaces which its session may cause, but a row as well: with a server
   * that is 100 ms away, a new one takes half a second.
   */
  keptMs: 10_000,
  /** Longer than any request waits. */
  connectMs: 2_000,
} as const;

/** Statements outside the queues, such as those of command lines, have more time. */
export const SLOW_STATEMENT_LIMITS = { statement_timeout: 3_000, query_timeout: 4_000 } as const;

/**
 * The connections of each queue, and so its batches in flight. Few, because more connections mean smaller batches. A
 * batch of recorded inserts waits for its requests between two round trips, and others go on meanwhile. So do those of
 * slow owners, and of those that wait for locks, a plain one and a recorded one each at a time at most. Reads have one more
 * for use beside a batch that is late, one for slow owners, and one to find them.
 */
export const QUEUE_CONNECTIONS = { read: 1, write: 1, recorded: 3 } as const;
