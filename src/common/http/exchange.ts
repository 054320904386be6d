import type { ArgumentsHost } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * What guards and filters work on. Nest's `switchToHttp()` gives the same, by way of three new functions at each call:
 * every guard of every request would pay for them.
 */
export function requestOf(host: ArgumentsHost): FastifyRequest {
  return host.getArgByIndex(0);
}

export function replyOf(host: ArgumentsHost): FastifyReply {
  return host.getArgByIndex(1);
}
