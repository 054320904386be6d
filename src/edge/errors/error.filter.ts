import { type ArgumentsHost, Catch, type ExceptionFilter, Inject } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { ApiError } from '../../api/errors/api-error.js';
import { ANY_FOREIGN_KEY } from '../../api/errors/declare-error.js';
import type { RouteErrors } from '../../api/errors/route-errors.js';
import { replyOf, requestOf } from '../../common/exchange.js';
import { sendError } from './send-error.js';
import { toApiError } from './to-api-error.js';

/** Operations of these methods change nothing (RFC 9110, 9.2.1). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Reads errors of the database, which the edge may not import. */
export const DATABASE_ERRORS = Symbol('database errors');
export interface DatabaseErrors {
  toOutage(thrown: unknown, changesSomething: boolean): ApiError | undefined;
  /** The constraint that a statement violated. */
  constraintOf(thrown: unknown): string | undefined;
  isForeignKeyViolation(thrown: unknown): boolean;
}

/** Turns every error of a route into a response. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(@Inject(DATABASE_ERRORS) private readonly database: DatabaseErrors) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = requestOf(host);
    const { errors } = request.routeOptions.config;
    const changesSomething = !SAFE.has(request.method);
    const error =
      this.database.toOutage(thrown, changesSomething) ??
      this.violation(thrown, errors) ??
      toApiError(thrown);
    if (errors && !errors.codes.has(error.code)) reportUndocumented(request, errors, error);
    sendError(thrown, request, replyOf(host), error);
  }

  private violation(thrown: unknown, errors: RouteErrors | undefined): ApiError | undefined {
    const constraint = errors && this.database.constraintOf(thrown);
    if (constraint === undefined) return undefined;
    const { onConstraint } = errors as RouteErrors;
    const error = onConstraint.get(constraint);
    if (error || !this.database.isForeignKeyViolation(thrown)) return error?.();
    return onConstraint.get(ANY_FOREIGN_KEY)?.();
  }
}

/** Tests fail too, because the answer is not in the document. */
function reportUndocumented({ log }: FastifyRequest, { operationId }: RouteErrors, { code }: ApiError): void {
  log.error(
    `${operationId} answers ${code}, which it does not document. Add @Refuses with that error to ${operationId}.`,
  );
}
