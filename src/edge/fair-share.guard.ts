import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { requestOf } from '../common/exchange.js';
import { countForKey } from './open-requests.js';
import { Pressure } from './pressure.js';

/** Holds each key to its share of the requests that are worked on, so that one key cannot keep out the others. */
@Injectable()
export class FairShareGuard implements CanActivate {
  constructor(private readonly pressure: Pressure) {}

  canActivate(context: ExecutionContext): true {
    const { caller, raw } = requestOf(context);
    if (caller) countForKey(raw, caller.underWay, this.pressure);
    return true;
  }
}
