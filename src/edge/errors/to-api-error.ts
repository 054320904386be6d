import { HttpException } from '@nestjs/common';
import { ApiError } from '../../api/errors/api-error.js';
import { ERROR_CODES, ERRORS } from '../../api/errors/error-catalogue.js';

/** What a client is told of a failure, whatever was thrown. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const status = statusOf(thrown);
  // Messages of frameworks and libraries are not for clients: each code has a text of its own.
  if (status < 400 || status >= 500) return new ApiError('internal_error');
  // What may not be seen is as if it were not there.
  if (status === 403) return new ApiError('not_found');
  const code = ERROR_CODES.find((candidate) => ERRORS[candidate].status === status);
  return new ApiError(status === 400 || !code ? 'bad_request' : code);
}

/** The status that Nest or Fastify attached to their own exceptions, such as 404 for a path without a route. */
function statusOf(thrown: unknown): number {
  if (thrown instanceof HttpException) return thrown.getStatus();
  const status = (thrown as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : 500;
}
