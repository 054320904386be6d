import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  mixin,
  type NestInterceptor,
  type Type,
  UseInterceptors,
} from '@nestjs/common';
import { catchError, type Observable } from 'rxjs';
import { requestOf } from '../../common/exchange.js';
import { ApiError } from '../errors/api-error.js';
import { checkPath } from '../validation/check-input.js';

export interface Lookup<P extends object, S> {
  path: Type<P>;
  service: Type<S>;
  /** Throws 404 if there is no resource at the path. */
  find: (service: S, path: P) => unknown;
}

/**
 * Answers 404 before 400: for an invalid body, `find` looks whether the resource of the path exists. Declare the body
 * behind the path: Nest checks the last parameter first, so that 413 and 415 come before 404.
 */
export function NotFoundFirst<P extends object, S>({ path, service, find }: Lookup<P, S>): MethodDecorator {
  class Interceptor implements NestInterceptor {
    constructor(@Inject(service) private readonly service: S) {}

    intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
      const { params } = requestOf(context);
      return next.handle().pipe(
        catchError(async (error: unknown) => {
          if (error instanceof ApiError && error.status === 400)
            await find(this.service, checkPath(path, params as object));
          throw error;
        }),
      );
    }
  }
  return UseInterceptors(mixin(Interceptor));
}
