import { HttpException } from '@nestjs/common';
import { ApiError } from '../../api/errors/api-error.js';
import { ERROR_CODES, ERRORS } from '../../api/errors/error-catalogue.js';

/** Maps anything thrown to the error that the client gets. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const status = statusOf(thrown);
  // Messages of frameworks and libraries are not for clients: each code has its own message.
  if (status < 400 || status >= 500) return new ApiError('internal_error');
  // A client must not learn that a forbidden resource exists.
  if (status === 403) return new ApiError('not_found');
  const code = ERROR_CODES.find((candidate) => ERRORS[candidate].status === status);
  return new ApiError(status === 400 || !code ? 'bad_request' : code);
}

/** The status of exceptions of Nest or Fastify, such as 404 for a path without a route. */
function statusOf(thrown: unknown): number {
  if (thrown instanceof HttpException) return thrown.getStatus();
  const status = (thrown as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : 500;
}
