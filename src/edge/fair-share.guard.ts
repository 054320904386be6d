import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { requestOf } from '../common/exchange.js';
import { requireShares } from './in-flight-requests.js';
import { LoadMonitor } from './load-monitor.js';

/** Limits each key and each network to its share of the requests in flight, so that they cannot keep others out. */
@Injectable()
export class FairShareGuard implements CanActivate {
  constructor(private readonly load: LoadMonitor) {}

  canActivate(context: ExecutionContext): true {
    const request = requestOf(context);
    if (request.caller) requireShares(request, request.caller.load, this.load);
    return true;
  }
}
