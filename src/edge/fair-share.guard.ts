import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type KeyLoad, requestOf } from '../common/exchange.js';
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
    if (request.caller) requireShares(request, request.caller.load, this.load);
    return true;
  }
}

/** Refuses a request beyond the shares of its key and network. */
export function requireShares(request: FastifyRequest, keyLoad: KeyLoad, load: LoadMonitor): void {
  takeShares(request.raw, new Shares(keyLoad, clientOf(request), load), readsBody(request));
}
