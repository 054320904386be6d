import type { DatabaseError } from 'pg';

/**
 * Citus passes on the message of a node only, at whose end is the constraint, mostly with the number of a shard, and with
 * what PostgreSQL adds while the index is rebuilt.
 */
const CONSTRAINT = /(\w+?)(?:_\d{6,}(?:_cc(?:new|old)\d*)?)?\W*$/;

/** Names the constraint that a statement has violated on another node. */
export function nameConstraint(error: Partial<DatabaseError>): void {
  if (error.constraint || error.routine !== 'ReportResultError' || !error.code?.startsWith('23')) return;
  error.constraint = CONSTRAINT.exec(error.message ?? '')?.[1];
}

/**
 * A worker commits an insert of its own before the coordinator knows: when its connection breaks, or when the coordinator
 * gives up waiting, the rows may be stored. So they may when the coordinator's commit waited in vain for a standby.
 */
export function mayBeStored({ code = '' }: Pick<DatabaseError, 'code'>): boolean {
  return /^(?:08|40003|57|58|XX)/.test(code);
}
