import type { DatabaseError } from 'pg';
import { meaningOfError } from '../database-errors.js';

const REMEMBERED_MS = 60_000;

/**
 * Why inserts cannot be combined, although each of them succeeds: for instance, single ones need no permission to use the
 * sequence of the ids. It is remembered for a minute, as to find it out takes several round trips.
 */
export class Combining {
  private cause: DatabaseError | undefined;
  private until = -Infinity;

  get failure(): DatabaseError | undefined {
    return performance.now() < this.until ? this.cause : undefined;
  }

  failed(cause: DatabaseError): void {
    this.cause = cause;
    this.until = performance.now() + REMEMBERED_MS;
  }
}

/** Most errors that a row causes do not concern others. 22012: a trigger chose ids. P0001: a trigger may count the rows. */
export function mayConcernAll(error: DatabaseError): boolean {
  return meaningOfError(error) === 'schema' || ['22012', 'P0001'].includes(error.code ?? '');
}
