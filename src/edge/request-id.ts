import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export const REQUEST_ID = 'x-request-id';

const ID = Symbol('request id');

declare module 'node:http' {
  interface IncomingMessage {
    [ID]?: string;
  }
}

/** The id of a request, the same whenever it is asked for. */
export function requestIdOf(request: IncomingMessage): string {
  return (request[ID] ??= newId(request));
}

/** The id a client or a proxy gave the request, when it is well formed; a new one otherwise. */
function newId({ headers }: IncomingMessage): string {
  const given = headers[REQUEST_ID];
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
}
