import { AsyncLocalStorage } from 'node:async_hooks';

interface Scope {
  /** False once the transaction has ended: what began inside may outlive it. */
  isOpen: boolean;
}

const scopes = new AsyncLocalStorage<Scope>();
let openScopes = 0;

/** Runs the work of a transaction. Until it ends, statements of its asynchronous context must be part of it. */
export async function insideTransaction<T>(work: () => Promise<T>): Promise<T> {
  const scope: Scope = { isOpen: true };
  openScopes++;
  try {
    return await scopes.run(scope, work);
  } finally {
    scope.isOpen = false;
    // Before Node.js 24 it slows every promise of the process while it is enabled.
    if (--openScopes === 0) scopes.disable();
  }
}

/**
 * Fails at once instead of committing a statement without its transaction, or, on the one session of the embedded engine,
 * waiting for its own transaction.
 */
export function refuseInsideTransaction(): void {
  if (openScopes === 0 || !scopes.getStore()?.isOpen) return;
  throw new Error(
    'A statement outside of the open transaction: hand the transaction to the method, and use `transaction.withRepository(repository)` there.',
  );
}
