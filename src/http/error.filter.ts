import { type ArgumentsHost, Catch, type ExceptionFilter, NotFoundException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { JSON_TYPE } from '../api/body.js';
import { allErrors, ApiError, noSuchPath, unavailable } from '../api/errors.js';
import { AnsweredBefore } from '../api/idempotency/idempotency-records.js';
import { Database } from '../database/database.js';
import { constraintOf, type Meaning, meaningOf, reasonOf } from '../database/errors.js';

/** What a client whose change failed is told about the database. */
const STATES: Record<Exclude<Meaning, 'constraint'>, string> = {
  unknown: 'The change was not confirmed',
  unavailable: 'The database does not answer',
  refused: 'The database cannot make the change at the moment',
  unusable: 'The database cannot be used',
};

/** Turns everything that is thrown into a response. Relies on Nest: errors of Fastify's hooks get here, too. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly database: Database) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const reply = http.getResponse<FastifyReply>();
    if (thrown instanceof AnsweredBefore) return thrown.send(reply);
    const request = http.getRequest<FastifyRequest>();
    const error = thrown instanceof ApiError ? thrown : this.toApiError(thrown, request);
    if (reply.sent || reply.raw.headersSent) return; // the response has begun
    reply.error = error;
    void reply.code(error.status).headers(error.headers).type(JSON_TYPE).send(JSON.stringify(error));
  }

  private toApiError(thrown: unknown, { id: requestId, log, method, headers }: FastifyRequest): ApiError {
    if (thrown instanceof NotFoundException) return noSuchPath(); // relies on Nest: no route matches
    const meaning = meaningOf(thrown) ?? (this.database.isConnected ? undefined : 'unavailable');
    const violated = meaning === 'constraint' && constraintOf(thrown);
    const declared = violated && allErrors().find(({ onConstraint }) => onConstraint?.includes(violated));
    if (declared) return new ApiError(declared);
    if (!meaning || meaning === 'constraint') {
      log.error({ requestId, err: thrown }, 'unexpected failure');
      return new ApiError('internal_error');
    }
    const reason = reasonOf(thrown);
    const isChange = method !== 'GET' && method !== 'HEAD';
    // With an Idempotency-Key, the request may repeat a change that was stored before, or is being stored at this moment.
    const isUnknown = meaning === 'unknown' || headers['idempotency-key'] !== undefined;
    const outcome = isUnknown ? ': the outcome is unknown.' : '. Nothing was stored.';
    const error = unavailable(isChange ? `${STATES[meaning]}${outcome}` : undefined);
    // An operator has to repair what is unusable.
    log[meaning === 'unusable' ? 'error' : 'warn']({ requestId, reason }, error.message);
    return error;
  }
}
