import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { requestOf } from '../common/exchange.js';
import { WaitingPlaces } from '../common/waiting-places.js';
import { countForKey, setTarget, takeTurn, takeTurnOnceRead } from './in-flight-requests.js';
import { LoadMonitor } from './load-monitor.js';
import { readsBody } from './json-body.js';
import { TRANSACTIONAL, type Transactional, TransactionTurns } from './transaction-turns.js';

const SAFE: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

/** Limits each key to its share of the requests in flight and of the transactions, so that one key cannot keep others out. */
@Injectable()
export class FairShareGuard implements CanActivate {
  private readonly turns: TransactionTurns;

  constructor(
    private readonly load: LoadMonitor,
    @Inject(TRANSACTIONAL) private readonly transactional: Transactional,
    places: WaitingPlaces,
  ) {
    this.turns = new TransactionTurns(transactional, places);
  }

  canActivate(context: ExecutionContext): true | Promise<true> {
    const request = requestOf(context);
    const { caller, raw } = request;
    if (!caller) return true;
    countForKey(raw, caller.load, this.load);
    const mayRunTransaction = !SAFE.has(raw.method) && this.transactional.controllers.has(context.getClass());
    caller.load.turns = this.turns;
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
