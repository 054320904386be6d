import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { JSON_TYPE } from '../api/body.js';
import { ApiError, ERROR_CODES, errorOfConstraint, kindOf, noSuchPath, unavailable } from '../api/errors.js';
import { AnsweredBefore } from '../api/idempotency/repeatable.js';
import { meaningOf, reasonOf } from '../database/errors.js';

declare module 'fastify' {
  interface FastifyReply {
    /** For the log and the metrics. */
    errorCode: string | null;
  }
}

/** Turns everything that is thrown into a response. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    if (thrown instanceof AnsweredBefore) thrown.send(reply);
    else sendError(thrown, http.getRequest(), reply);
  }
}

export function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const error = toApiError(thrown, request.method);
  if (error.code === 'internal_error') request.log.error({ requestId: request.id, err: thrown }, 'unexpected failure');
  else if (error.status >= 500 && thrown !== error)
    request.log.warn({ requestId: request.id, reason: reasonOf(thrown) }, error.message);
  if (reply.sent || reply.raw.headersSent) return; // the response has begun
  reply.errorCode = error.code;
  void reply.code(error.status).headers(error.headers).type(JSON_TYPE).send(JSON.stringify(error));
}

function toApiError(thrown: unknown, method: string): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const meaning = meaningOf(thrown);
  if (meaning?.kind === 'constraint') return errorOfConstraint(meaning.name) ?? new ApiError('internal_error');
  const isChange = method !== 'GET' && method !== 'HEAD';
  if (meaning?.kind === 'unknown' && isChange)
    return unavailable('The database was lost before it answered: the outcome is unknown.');
  if (meaning) return unavailable(isChange ? 'The database does not answer. Nothing was stored.' : undefined);
  const status = statusOf(thrown);
  // Messages of frameworks and libraries are not for clients: each code has its own message.
  if (status < 400 || status >= 500) return new ApiError('internal_error');
  if (status === 404 || status === 403) return noSuchPath(); // a client must not learn that there is something
  const code = ERROR_CODES.find((candidate) => kindOf(candidate).status === status);
  return new ApiError(status === 400 || !code ? 'bad_request' : code);
}

/** The status of exceptions of Nest or Fastify, such as 404 for a path without a route. */
function statusOf(thrown: unknown): number {
  if (thrown instanceof HttpException) return thrown.getStatus();
  const status = (thrown as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : 500;
}
