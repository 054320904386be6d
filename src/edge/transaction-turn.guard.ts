import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { requestOf } from '../common/exchange.js';
import { WaitingPlaces } from '../common/waiting-places.js';
import { requireClient, setTarget, takeTurn, takeTurnOnceRead } from './in-flight-requests.js';
import { readsBody } from './json-body.js';
import { TRANSACTIONAL, type Transactional, TransactionTurns } from './transaction-turns.js';

const SAFE: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

/** Has requests that may run a transaction wait for their turn, which limits each key to its share of them. */
@Injectable()
export class TransactionTurnGuard implements CanActivate {
  private readonly turns: TransactionTurns;

  constructor(
    @Inject(TRANSACTIONAL) private readonly transactional: Transactional,
    places: WaitingPlaces,
  ) {
    this.turns = new TransactionTurns(transactional, places);
  }

  canActivate(context: ExecutionContext): true | Promise<true> {
    const request = requestOf(context);
    const { caller, raw } = request;
    if (!caller) return true;
    requireClient(raw); // the rate limit may have waited for Redis
    caller.load.turns = this.turns;
    const mayRunTransaction = !SAFE.has(raw.method) && this.transactional.controllers.has(context.getClass());
    if (!mayRunTransaction) return true;
    setTarget(raw, targetOf(context.getClass(), request.params as object));
    return (readsBody(request) ? takeTurnOnceRead : takeTurn)(raw, caller.load);
  }
}

/** The parameters of the path name what a request changes; without one it creates something. */
function targetOf({ name }: { readonly name: string }, params: object): string | undefined {
  const values: unknown[] = Object.values(params);
  return values.length > 0 ? JSON.stringify([name, ...values]) : undefined;
}
