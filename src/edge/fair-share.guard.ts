import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { requestOf } from '../common/exchange.js';
import { clientOf } from '../rate-limit/network-of.js';
import { takeShares } from './in-flight-requests.js';
import { readsBody } from './json-body.js';
import { LoadMonitor } from './load-monitor.js';
import { Shares } from './shares.js';

/** Limits each key and each network to its share of the requests in flight, so that they cannot keep others out. */
@Injectable()
export class FairShareGuard implements CanActivate {
  constructor(private readonly load: LoadMonitor) {}

  canActivate(context: ExecutionContext): true {
    const request = requestOf(context);
    const { caller, raw } = request;
    if (caller) takeShares(raw, new Shares(caller.load, clientOf(request), this.load), readsBody(request));
    return true;
  }
}
