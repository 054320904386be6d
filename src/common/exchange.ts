import type { ArgumentsHost } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The client behind a request, known once its key was checked. */
export interface Caller {
  readonly id: bigint;
  readonly name: string;
}

// What one room notes and others read: the guard and the limits, the log, the metrics.
declare module 'fastify' {
  interface FastifyRequest {
    caller?: Caller;
  }

  interface FastifyReply {
    /** The code of the Error body, when the answer has one. */
    errorCode?: string;
  }
}

/**
 * The request of a guard, a filter or an interceptor. Nest's `switchToHttp()` gives the same, but creates three
 * functions at each call.
 */
export function requestOf(host: ArgumentsHost): FastifyRequest {
  return host.getArgByIndex(0);
}

export function replyOf(host: ArgumentsHost): FastifyReply {
  return host.getArgByIndex(1);
}
