import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { requestOf } from '../common/exchange.js';
import { countForKey, takeTurn } from './in-flight-requests.js';
import { LoadMonitor } from './load-monitor.js';
import { Turns } from './turns.js';

/** Describes the operations that occupy connections of the database, which the edge may not import. */
export const TRANSACTIONAL = Symbol('transactional operations');
export interface Transactional {
  /** The classes of their controllers. */
  readonly controllers: ReadonlySet<unknown>;
  /** How many of one key run at once, how many wait for their turn, and how long. */
  readonly mostPerKey: number;
  readonly mostWaitingPerKey: number;
  readonly waitMs: number;
}

const SAFE: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD']);

/** Limits each key to its share of the requests in flight and of the transactions, so that one key cannot keep others out. */
@Injectable()
export class FairShareGuard implements CanActivate {
  constructor(
    private readonly load: LoadMonitor,
    @Inject(TRANSACTIONAL) private readonly transactional: Transactional,
  ) {}

  canActivate(context: ExecutionContext): true | Promise<true> {
    const { caller, raw } = requestOf(context);
    if (!caller) return true;
    countForKey(raw, caller.load, this.load);
    const mayRunTransaction = !SAFE.has(raw.method) && this.transactional.controllers.has(context.getClass());
    caller.load.turns ??= this.createTurns();
    return !mayRunTransaction || takeTurn(raw, caller.load);
  }

  private createTurns(): Turns {
    const { mostPerKey, mostWaitingPerKey, waitMs } = this.transactional;
    return new Turns(mostPerKey, mostWaitingPerKey, waitMs);
  }
}
