import type { DiscoveryService } from '@nestjs/core';
import { connectionsForTransactions, type DatabaseConnection } from '../connection.js';
import { DATABASE_LIMITS } from '../limits.js';
import { Transactions } from './transactions.js';

const { waitingTransactions, waitMs } = DATABASE_LIMITS;
/** The share of the transactions that one key may run at once, and of those that wait. */
const SHARE_PER_KEY = 0.75;

/** The controllers whose module, or a module that it imports, runs transactions; and how many one key may run at once. */
export function transactionalOperations(
  discovery: DiscoveryService,
  connection: DatabaseConnection,
): { controllers: ReadonlySet<unknown>; mostPerKey: number; mostWaitingPerKey: number; waitMs: number } {
  const controllers = discovery.getControllers().filter(({ host }) => {
    // Nest counts global modules as imported by all.
    const modules = host ? [host, ...[...host.imports].filter(({ isGlobal }) => !isGlobal)] : [];
    return discovery.getProviders({}, modules).some(({ metatype }) => injectsTransactions(metatype));
  });
  const connections = connection.kind === 'embedded' ? 1 : connectionsForTransactions(connection);
  return {
    controllers: new Set(controllers.map(({ metatype }) => metatype)),
    mostPerKey: Math.max(1, Math.floor(connections * SHARE_PER_KEY)),
    mostWaitingPerKey: Math.floor(waitingTransactions * SHARE_PER_KEY),
    waitMs,
  };
}

function injectsTransactions(provider: unknown): boolean {
  if (typeof provider !== 'function') return false;
  const dependencies = (Reflect.getMetadata('design:paramtypes', provider) ?? []) as unknown[];
  return dependencies.includes(Transactions);
}
