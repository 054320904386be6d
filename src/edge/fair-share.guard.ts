import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { requestOf } from '../common/exchange.js';
import { countForKey } from './in-flight-requests.js';
import { LoadMonitor } from './load-monitor.js';

/** Limits each key to its share of the requests in flight, so that one key cannot keep others out. */
@Injectable()
export class FairShareGuard implements CanActivate {
  constructor(private readonly load: LoadMonitor) {}

  canActivate(context: ExecutionContext): true {
    const { caller, raw } = requestOf(context);
    if (caller) countForKey(raw, caller.load, this.load);
    return true;
  }
}
