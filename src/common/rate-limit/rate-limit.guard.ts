import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ApiError } from '../errors/api-error.js';
import { replyOf, requestOf } from '../http/exchange.js';
import type { Allowance, RateLimiter } from './rate-limiter.js';
import { RateLimits } from './rate-limits.js';

/** Holds each key to its rate, and tells it in the headers of every answer how much is left. Public routes have none. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(private readonly limits: RateLimits) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { user } = requestOf(context);
    if (!user) return true;
    const reply = replyOf(context);
    const limiter = this.limits.requests;
    try {
      const allowance = await limiter.take(String(user.id));
      if (allowance) announce(reply, limiter, allowance);
    } catch (error) {
      if (error instanceof ApiError) {
        announce(reply, limiter, { remaining: 0, resetSeconds: Number(error.headers['retry-after']) });
      }
      throw error;
    }
    return true;
  }
}

/** The policy, and what is left of it. */
function announce(reply: FastifyReply, { name, policy }: RateLimiter, allowance: Allowance): void {
  void reply
    .header('ratelimit-policy', policy)
    .header('ratelimit', `"${name}";r=${allowance.remaining};t=${allowance.resetSeconds}`);
}
