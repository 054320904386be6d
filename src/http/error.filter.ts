import { type ArgumentsHost, Catch, type ExceptionFilter, NotFoundException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { JSON_TYPE } from '../api/body.js';
import { allErrors, ApiError, noSuchPath, unavailable } from '../api/errors.js';
import { AnsweredBefore } from '../api/idempotency/repeatable.js';
import { meaningOf, reasonOf } from '../database/errors.js';

declare module 'fastify' {
  interface FastifyReply {
    /** For the log and the metrics. */
    error: ApiError | null;
  }
}

/** Turns everything that is thrown into a response. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    if (thrown instanceof AnsweredBefore) return thrown.send(reply);
    const { id: requestId, log, method } = http.getRequest<FastifyRequest>();
    const error = toApiError(thrown, method);
    if (error.code === 'internal_error') log.error({ requestId, err: thrown }, 'unexpected failure');
    else if (error.status >= 500 && thrown !== error) log.warn({ requestId, reason: reasonOf(thrown) }, error.message);
    if (reply.sent || reply.raw.headersSent) return; // the response has begun
    reply.error = error;
    void reply.code(error.status).headers(error.headers).type(JSON_TYPE).send(JSON.stringify(error));
  }
}

function toApiError(thrown: unknown, method: string): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof NotFoundException) return noSuchPath(); // Nest's, without a route
  const meaning = meaningOf(thrown);
  if (meaning?.kind === 'constraint')
    return new ApiError(allErrors().find((one) => one.onConstraint?.includes(meaning.name)) ?? 'internal_error');
  const isChange = method !== 'GET' && method !== 'HEAD';
  if (meaning?.kind === 'unknown' && isChange)
    return unavailable('The database was lost before it answered: the outcome is unknown.');
  if (meaning) return unavailable(isChange ? 'The database does not answer. Nothing was stored.' : undefined);
  return new ApiError('internal_error');
}
