import type { FastifyReply, FastifyRequest } from 'fastify';
import { owesBody } from '../json-body.js';
import { JSON_TYPE } from '../../api/media-types.js';
import { toApiError } from './to-api-error.js';

/**
 * Answers with the Error body. Only the unexpected is logged as an error: a client's mistake is not ours, and an outage
 * of the database is told once, when it begins.
 */
export function sendError(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  error = toApiError(thrown),
): void {
  if (error.code === 'internal_error') request.log.error({ err: thrown }, 'unexpected failure');
  else if (error.status >= 500 && thrown !== error) request.log.warn({ err: thrown }, error.message);
  // The response was begun, or the client is gone: there is nobody to tell.
  if (reply.sent || reply.raw.headersSent) return;
  // A body that is still on its way, and that nobody wants, would have to be read before the connection is used again.
  if (owesBody(request.raw)) reply.header('connection', 'close');
  reply.errorCode = error.code;
  void reply.code(error.status).headers(error.headers).type(JSON_TYPE).send(JSON.stringify(error));
}
