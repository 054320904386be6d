/** Marks answers that may miss the latest changes. */
export const STALE_HEADER = 'Stale-Read';

/** The answers of reads that can be stale: a missing row, too. */
export const STALE_STATUSES: readonly string[] = ['200', '404'];
