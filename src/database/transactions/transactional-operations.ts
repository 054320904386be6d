import type { DiscoveryService } from '@nestjs/core';
import { connectionsForTransactions, type DatabaseConnection } from '../connection.js';
import { DATABASE_LIMITS } from '../limits.js';
import { Transactions } from './transactions.js';

/** The share of the transactions that one key may run at once. */
const SHARE_PER_KEY = 0.75;

/**
 * The controllers that run transactions, or whose module does, or a module that it imports; and how many may run
 * at once.
 */
export function transactionalOperations(
  discovery: DiscoveryService,
  connection: DatabaseConnection,
  transactions: Transactions,
): {
  controllers: ReadonlySet<unknown>;
  mostRunning: number;
  mostPerKey: number;
  waitMs: number;
  busy: () => Error;
} {
  const controllers = discovery.getControllers().filter(({ host, metatype }) => {
    // Nest counts global modules as imported by all.
    const modules = host ? [host, ...[...host.imports].filter(({ isGlobal }) => !isGlobal)] : [];
    const providers = discovery.getProviders({}, modules).map((provider) => provider.metatype);
    return [metatype, ...providers].some(injectsTransactions);
  });
  const connections = connection.kind === 'embedded' ? 1 : connectionsForTransactions(connection);
  const mostPerKey = Math.max(1, Math.floor(connections * SHARE_PER_KEY));
  return {
    controllers: new Set(controllers.map(({ metatype }) => metatype)),
    mostRunning: Math.max(mostPerKey + 1, connections),
    mostPerKey,
    waitMs: DATABASE_LIMITS.waitMs,
    busy: () => transactions.refuseForWantOfTurn(),
  };
}

function injectsTransactions(injectable: unknown): boolean {
  if (typeof injectable !== 'function') return false;
  const dependencies = (Reflect.getMetadata('design:paramtypes', injectable) ?? []) as unknown[];
  return dependencies.includes(Transactions);
}
