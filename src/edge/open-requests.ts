import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { unavailable } from '../api/errors/api-error.js';
import type { UnderWay } from '../common/exchange.js';
import { hasBody } from './json-body.js';
import type { Pressure } from './pressure.js';

const COUNTED = Symbol('counted');
const OF_KEY = Symbol('requests of its key');
const BEYOND_SHARE = Symbol('beyond the share of its key');
const OPEN = Symbol('open');

declare module 'node:http' {
  interface IncomingMessage {
    /** Whether it is among those that are being worked on. */
    [COUNTED]?: boolean;
    [OF_KEY]?: UnderWay;
    /** Its key had its share of requests under way when the body was complete. */
    [BEYOND_SHARE]?: boolean;
  }
}

declare module 'node:net' {
  interface Socket {
    /** The request that is being worked on; those behind it wait for their turn. */
    [OPEN]?: IncomingMessage | undefined;
  }
}

/** Only handlers of these methods read a body. */
const READ_BODY: ReadonlySet<string | undefined> = new Set(['POST', 'PUT', 'PATCH']);

/** A body that a client is slow to send is no work: such a request counts once it is read. */
export function countOnceRead(request: IncomingMessage, response: ServerResponse, pressure: Pressure): void {
  const begin = (): void => {
    const { socket } = request;
    if (response.closed || response.headersSent || socket.destroyed) return;
    pressure.open++;
    request[COUNTED] = true;
    socket[OPEN] = request;
    const ofKey = request[OF_KEY];
    if (!ofKey) return;
    request[BEYOND_SHARE] = ofKey.requests >= pressure.mostOfAKey;
    ofKey.requests++;
  };
  if (hasBody(request) && READ_BODY.has(request.method)) request.on('end', begin);
  else begin();
}

/** Counts the request for its key too, or refuses it when the key has its share of requests under way. */
export function countForKey(request: IncomingMessage, ofKey: UnderWay, pressure: Pressure): void {
  if (ofKey.requests >= pressure.mostOfAKey) throw beyondShare();
  request[OF_KEY] = ofKey;
  if (request[COUNTED]) ofKey.requests++;
}

/** Repeats the check of the key's share, once a body has arrived that had to be waited for. */
export function requireShare(request: IncomingMessage): void {
  if (request[BEYOND_SHARE]) throw beyondShare();
}

export function end(request: IncomingMessage, pressure: Pressure): void {
  if (!request[COUNTED]) return;
  request[COUNTED] = false;
  request.socket[OPEN] = undefined;
  pressure.open--;
  const ofKey = request[OF_KEY];
  if (ofKey) ofKey.requests--;
}

/** The connection is gone, and with it whatever was to be answered. */
export function endAll(socket: Socket, pressure: Pressure): void {
  if (socket[OPEN]) end(socket[OPEN], pressure);
}

function beyondShare(): Error {
  return unavailable('Too many requests of this key are under way. Try again in a second.');
}
