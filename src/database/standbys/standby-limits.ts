/** Time limits of standbys. When one ends, the primary serves: both together stay below a second. */
export const STANDBY_LIMITS = {
  /** For a standby to replay what the primary has. */
  catchUpMs: 50,
  /** Between looks whether it has. */
  pollMs: 1,
  /** For the position of a standby. */
  stateMs: 100,
  /** For a batch. */
  answerMs: 250,
  /** How long before the outage of the primary a standby has had everything, at most, that may answer stale reads. */
  staleMs: 2_000,
  connectMs: 500,
  /** Until a standby that was left out is tried again. */
  retryMs: 1_000,
  /** For a standby to show that it has the history of the primary. */
  historyMs: 1_000,
} as const;

/** Batches in flight on a standby, so that one can wait while another is answered. */
export const STANDBY_BATCHES = 2;

/** Each batch costs the primary a question, as much as a read of one animal. */
export const STANDBY_BATCH = 64;
