import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from '@nestjs/common';
import { replyOf, requestOf } from '../../common/exchange.js';
import type { ApiError } from '../../api/errors/api-error.js';
import { sendError } from './send-error.js';
import { toApiError } from './to-api-error.js';

/** Translates errors of rooms that the edge may not import, such as those of the database. */
export const ERROR_TRANSLATION = Symbol('error translation');
export type ErrorTranslation = (thrown: unknown, changesSomething: boolean) => ApiError | undefined;

/** Operations of these methods change nothing (RFC 9110, 9.2.1). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Turns every error of a route into a response. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(@Inject(ERROR_TRANSLATION) private readonly translate: ErrorTranslation) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = requestOf(host);
    const error = this.translate(thrown, !SAFE.has(request.method)) ?? toApiError(thrown);
    sendError(thrown, request, replyOf(host), error);
  }
}
