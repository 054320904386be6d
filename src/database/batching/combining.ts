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

/** Unlike most that a row causes. With 22012, a trigger chose ids; with P0001, one of the statement may count rows. */
export function mayConcernAll(error: DatabaseError): boolean {
  return meaningOfError(error) === 'schema' || ['22012', 'P0001'].includes(error.code ?? '');
}
