import type { DiscoveryService } from '@nestjs/core';
import { connectionsForTransactions, type DatabaseConnection } from '../connection.js';
import { DATABASE_LIMITS } from '../limits.js';
import { Transactions } from './transactions.js';

const { waitingTransactions, waitMs } = DATABASE_LIMITS;
/** The share of the transactions that one key may run at once, and of those that wait. */
const SHARE_PER_KEY = 0.75;

/**
 * The controllers that run transactions, or whose module does, or a module that it imports; and how many one key may run
 * at once.
 */
export function transactionalOperations(
  discovery: DiscoveryService,
  connection: DatabaseConnection,
): { controllers: ReadonlySet<unknown>; mostPerKey: number; mostWaitingPerKey: number; waitMs: number } {
  const controllers = discovery.getControllers().filter(({ host, metatype }) => {
    // Nest counts global modules as imported by all.
    const modules = host ? [host, ...[...host.imports].filter(({ isGlobal }) => !isGlobal)] : [];
    const providers = discovery.getProviders({}, modules).map((provider) => provider.metatype);
    return [metatype, ...providers].some(injectsTransactions);
  });
  const connections = connection.kind === 'embedded' ? 1 : connectionsForTransactions(connection);
  return {
    controllers: new Set(controllers.map(({ metatype }) => metatype)),
    mostPerKey: Math.max(1, Math.floor(connections * SHARE_PER_KEY)),
    mostWaitingPerKey: Math.floor(waitingTransactions * SHARE_PER_KEY),
    waitMs,
  };
}

function injectsTransactions(injectable: unknown): boolean {
  if (typeof injectable !== 'function') return false;
  const dependencies = (Reflect.getMetadata('design:paramtypes', injectable) ?? []) as unknown[];
  return dependencies.includes(Transactions);
}
