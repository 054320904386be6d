import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  Optional,
  UseInterceptors,
} from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import type { Observable } from 'rxjs';
import { Refuses } from '../errors/refuses.decorator.js';
import {
  idempotencyKeyReused,
  invalidIdempotencyKey,
  KEPT_HOURS,
  KEY_HEADER,
  KEY_PATTERN,
} from './idempotency-key.js';

/** Answers requests with an Idempotency-Key. */
export abstract class KeyedRequests {
  abstract answer(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>>;
}

/** Runs after the guards and before the pipes, for requests with the header only (`skip-without-key.ts`). */
@Injectable()
export class RepeatableInterceptor implements NestInterceptor {
  /** Commands load features without it, and answer no requests. */
  constructor(@Optional() private readonly keyed: KeyedRequests) {}

  intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    return this.keyed.answer(context, next);
  }
}

/**
 * Lets clients repeat an operation safely, under an Idempotency-Key. `@Created`, `@Updated` and `@Deleted` include it. It
 * must precede other interceptors.
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
