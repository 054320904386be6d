import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export const REQUEST_ID = 'x-request-id';

const ID = Symbol('request id');

declare module 'node:http' {
  interface IncomingMessage {
    [ID]?: string;
  }
}

/** The id of a request: its X-Request-Id when that is well-formed, else a generated one. */
export function requestIdOf(request: IncomingMessage): string {
  return (request[ID] ??= givenId(request) ?? randomUUID());
}

function givenId({ headers }: IncomingMessage): string | undefined {
  const given = headers[REQUEST_ID];
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : undefined;
}
