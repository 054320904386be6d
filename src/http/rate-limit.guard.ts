import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RateLimits } from './rate-limiter.js';

/** Limits the requests of each key. Public routes have no limit. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(private readonly limits: RateLimits) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const { requests } = this.limits;
    const { caller } = context.switchToHttp().getRequest<FastifyRequest>();
    if (!caller || requests.limit === 0) return true;
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    return requests.take(String(caller.id), reply).then(() => true);
  }
}
