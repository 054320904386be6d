import { AsyncLocalStorage } from 'node:async_hooks';
import type { Owner } from '../batching/owners.js';

/** What a statement of an asynchronous context may have to be part of. */
export interface Scope {
  /** Whose work it is, if that is known. */
  readonly owner?: Owner | undefined;
  /** Why a statement outside is refused; `undefined` if it is not. */
  refusalOf(kind: StatementKind): string | undefined;
}

export type StatementKind = 'read' | 'change';

/** Why a statement outside of the open transaction is refused. */
export const OUTSIDE =
  'A statement outside of the open transaction: hand the transaction to the method, and use `transaction.withRepository(repository)` there.';

const scopes = new AsyncLocalStorage<Scope | undefined>();
let openScopes = 0;

/** Runs the work of a transaction. Until it ends, statements of its asynchronous context must be part of it. */
export function insideTransaction<T>(work: () => Promise<T>): Promise<T> {
  let isOpen = true; // what began inside may outlive it
  return inScope({ refusalOf: () => (isOpen ? OUTSIDE : undefined) }, work, () => (isOpen = false));
}

export async function inScope<T>(scope: Scope, work: () => Promise<T>, end = (): void => {}): Promise<T> {
  openScopes++;
  try {
    return await scopes.run(scope, work);
  } finally {
    end();
    // Before Node.js 24 it slows every promise of the process while it is enabled.
    if (--openScopes === 0) scopes.disable();
  }
}

/** Runs work that is no part of the scope it is called in. */
export function outsideScopes<T>(work: () => T): T {
  return openScopes === 0 ? work() : scopes.run(undefined, work);
}

export function currentScope(): Scope | undefined {
  return openScopes === 0 ? undefined : scopes.getStore();
}

/**
 * Fails at once instead of committing a statement without its transaction, or, on the one session of the embedded engine,
 * waiting for its own transaction.
 */
export function refuseOutside(kind: StatementKind): void {
  const refusal = currentScope()?.refusalOf(kind);
  if (refusal !== undefined) throw new Error(refusal);
}
