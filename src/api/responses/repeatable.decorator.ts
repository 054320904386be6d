import { applyDecorators, Injectable, type NestInterceptor, Optional, UseInterceptors } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refuses } from '../errors/refuses.decorator.js';
import {
  idempotencyKeyReused,
  invalidIdempotencyKey,
  KEPT_HOURS,
  KEY_HEADER,
  KEY_PATTERN,
} from './idempotency-key.js';

/** Answers requests of repeatable operations. */
export abstract class KeyedRequests {
  /** Returns the body of the answer. `run` makes the change: the pipes and the handler of the operation. */
  abstract answer(
    request: FastifyRequest,
    reply: FastifyReply,
    run: () => Promise<unknown>,
  ): Promise<string | undefined>;
}

/** Marks repeatable operations. `repeatable-routes.ts` takes it out of Nest's interceptors. */
@Injectable()
export class RepeatableInterceptor implements NestInterceptor {
  /** Commands load features without it, and answer no requests. */
  constructor(@Optional() readonly keyed: KeyedRequests) {}

  intercept(): never {
    throw new Error('serveRepeatableRoutes() was not called before the routes were registered.');
  }
}

/**
 * Lets clients repeat an operation safely, under an Idempotency-Key. `@Created`, `@Updated` and `@Deleted` include it.
 */
export function Repeatable(): MethodDecorator {
  return applyDecorators(
    UseInterceptors(RepeatableInterceptor),
    ApiHeader({
      name: KEY_HEADER,
      required: false,
      description: `Makes the request safe to repeat: for at least ${KEPT_HOURS} hours, the same request under the same key gets the first success again. Take a new one, such as a UUID, for each change; quotes around it do not count.`,
      schema: { type: 'string', pattern: KEY_PATTERN },
      example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
    }),
    Refuses(invalidIdempotencyKey, idempotencyKeyReused),
  );
}
