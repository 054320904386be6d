import type { ArgumentsHost } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The authenticated client of a request. */
export interface Caller {
  readonly id: bigint;
  /** The first of the keys that the key descends from by rotation. */
  readonly originId: bigint | null;
  readonly name: string;
  /** Shared by all requests of the key. */
  readonly load: KeyLoad;
}

export interface KeyLoad {
  /** The requests of the key that are in flight. */
  inFlight: number;
}

// Written by one room and read by others: guards, rate limits, log and metrics.
declare module 'fastify' {
  interface FastifyContextConfig {
    /** A health check: not measured, and logged at debug. Probes would hide what clients see. */
    probe?: boolean;
  }

  interface FastifyRequest {
    caller?: Caller;
  }

  interface FastifyReply {
    /** The code of the Error body, if there is one. */
    errorCode?: string;
    /** Why there was no room for the request. */
    noRoom?: string;
  }
}

declare module 'node:http' {
  interface IncomingMessage {
    /** Before it was handled, if it had to wait. */
    waitedMs?: number;
  }
}

/** Avoids `switchToHttp()`, which allocates three functions per call. */
export function requestOf(host: ArgumentsHost): FastifyRequest {
  return host.getArgByIndex(0);
}

export function replyOf(host: ArgumentsHost): FastifyReply {
  return host.getArgByIndex(1);
}

/** From the head of a request, or the end of the response before, to the end of its own, in milliseconds. */
export function durationOf({ raw }: FastifyRequest, { elapsedTime }: FastifyReply): number {
  return (raw.waitedMs ?? 0) + elapsedTime;
}
