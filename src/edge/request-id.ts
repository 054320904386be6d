import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { REQUEST_ID_PATTERN } from '../common/contract.js';

export const REQUEST_ID = 'x-request-id';

const ID = Symbol('request id');
const WELL_FORMED = new RegExp(REQUEST_ID_PATTERN);

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
  return typeof given === 'string' && WELL_FORMED.test(given) ? given : undefined;
}
