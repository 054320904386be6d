import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { replyOf, requestOf } from '../common/exchange.js';
import type { Allowance } from './allowance.js';
import type { RateLimiter } from './rate-limiter.js';
import { RateLimits } from './rate-limits.js';

/** Limits the requests of each key, and reports the rest of the limit in the response headers. Public routes have no limit. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(private readonly limits: RateLimits) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { caller } = requestOf(context);
    if (!caller) return true;
    const limiter = this.limits.requests;
    const taken = limiter.take(String(caller.id));
    const reply = replyOf(context);
    return taken instanceof Promise
      ? taken.then((allowance) => pass(reply, limiter, allowance))
      : pass(reply, limiter, taken);
  }
}

/** Sets the headers before it throws, since a refusal carries them too. */
function pass(reply: FastifyReply, { name, policy }: RateLimiter, allowance: Allowance | undefined): true {
  if (!allowance) return true;
  void reply
    .header('ratelimit-policy', policy)
    .header('ratelimit', `"${name}";r=${allowance.remaining};t=${allowance.resetSeconds}`);
  allowance.throwIfExceeded();
  return true;
}
