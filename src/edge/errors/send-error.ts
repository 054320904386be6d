import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NoRoom } from '../../api/errors/api-error.js';
import { JSON_TYPE } from '../../api/media-types.js';
import { toApiError } from './to-api-error.js';

/**
 * Responds with the Error body. Logs unexpected failures as errors and translated ones as warnings. Client mistakes are
 * not faults of the service, the database logs its outages itself, and overload is summed up.
 */
export function sendError(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  error = toApiError(thrown),
): void {
  if (error.code === 'internal_error') request.log.error({ err: thrown }, 'unexpected failure');
  else if (error.status >= 500 && thrown !== error) request.log.warn({ err: thrown }, error.message);
  // The response has begun, or the client is gone.
  if (reply.sent || reply.raw.headersSent) return;
  if (error.code === 'internal_error') removeUnsendable(request, reply);
  reply.errorCode = error.code;
  if (error instanceof NoRoom) reply.noRoom = error.message;
  void reply.code(error.status).headers(error.headers).type(JSON_TYPE).send(JSON.stringify(error));
}

/** A header that failed the response would fail this one too. */
function removeUnsendable({ log }: FastifyRequest, reply: FastifyReply): void {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    try {
      validateHeaderName(name);
      for (const each of [value].flat()) validateHeaderValue(name, each as string);
    } catch {
      void reply.removeHeader(name);
      log.error(`The header ${name} cannot be sent: encode what it contains, as by encodeURIComponent.`);
    }
  }
}
