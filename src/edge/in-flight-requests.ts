import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { unavailable } from '../api/errors/api-error.js';
import type { KeyLoad } from '../common/exchange.js';
import { hasBody, owesBody } from './json-body.js';
import type { LoadMonitor } from './load-monitor.js';
import { beyondShare, type TransactionTurns } from './transaction-turns.js';

const COUNTED = Symbol('counted');
const KEY_LOAD = Symbol('load of the key');
const KEY_COUNTED = Symbol('counted for the key');
const BEYOND_SHARE = Symbol('beyond the share of the key');
const IN_FLIGHT = Symbol('in flight');
const TURNS = Symbol('turns');
const OWES_TURN = Symbol('owes a turn');
const TARGET = Symbol('target');

declare module 'node:http' {
  interface IncomingMessage {
    [COUNTED]?: boolean;
    /** Until the request is answered. */
    [KEY_LOAD]?: KeyLoad | undefined;
    [KEY_COUNTED]?: boolean;
    /** The key had used up its share when the body was complete. */
    [BEYOND_SHARE]?: boolean;
    /** Where the request has taken a turn. */
    [TURNS]?: TransactionTurns | undefined;
    /** It takes its turn once its body has arrived. */
    [OWES_TURN]?: boolean;
    /** What its transaction changes, as far as the path says. */
    [TARGET]?: string | undefined;
  }
}

declare module '../common/exchange.js' {
  interface KeyLoad {
    /** For the transactions of all keys. */
    turns?: TransactionTurns;
  }
}

declare module 'node:net' {
  interface Socket {
    /** The counted request of the connection; pipelined ones wait for their turn. */
    [IN_FLIGHT]?: IncomingMessage | undefined;
  }
}

/** Only handlers of these methods read a body. */
const READ_BODY: ReadonlySet<string | undefined> = new Set(['POST', 'PUT', 'PATCH']);

/** Counts a request once its body has arrived: a client that is slow to send is no load. */
export function countOnceRead(request: IncomingMessage, response: ServerResponse, load: LoadMonitor): void {
  const count = (): void => {
    const { socket } = request;
    if (response.closed || response.headersSent || socket.destroyed) return;
    load.inFlight++;
    request[COUNTED] = true;
    socket[IN_FLIGHT] = request;
    const keyLoad = request[KEY_LOAD];
    if (!keyLoad) return;
    request[BEYOND_SHARE] = keyLoad.inFlight >= load.maxInFlightPerKey;
    keyLoad.inFlight++;
    request[KEY_COUNTED] = true;
  };
  if (hasBody(request) && READ_BODY.has(request.method)) request.on('end', count);
  else count();
}

/** Counts the request for its key as well, or refuses it when the key has used up its share. */
export function countForKey(request: IncomingMessage, keyLoad: KeyLoad, load: LoadMonitor): void {
  if (request.socket.destroyed) throw withoutClient();
  if (keyLoad.inFlight >= load.maxInFlightPerKey) throw beyondShare();
  request[KEY_LOAD] = keyLoad;
  if (!request[COUNTED]) return;
  keyLoad.inFlight++;
  request[KEY_COUNTED] = true;
}

/** The body, once the request has its place: a late one has its share checked again, and takes the turn that waited for it. */
export function onceAdmitted<Body>(
  request: IncomingMessage,
  body: Body | Promise<Body>,
): Body | Promise<Body> {
  if (body instanceof Promise)
    return body.then(async (read) => {
      await admit(request);
      return read;
    });
  const admitted = admit(request);
  return admitted === true ? body : admitted.then(() => body);
}

function admit(request: IncomingMessage): true | Promise<true> {
  if (request[BEYOND_SHARE]) throw beyondShare();
  const keyLoad = request[KEY_LOAD];
  return !request[OWES_TURN] || !keyLoad || takeTurn(request, keyLoad);
}

export function release(request: IncomingMessage, load: LoadMonitor): void {
  if (!request[COUNTED]) return;
  request[COUNTED] = false;
  request.socket[IN_FLIGHT] = undefined;
  load.inFlight--;
}

/** Ends what is counted for the key, once the handler is done. A client cannot shorten that by closing its connection. */
export function releaseForKey(request: IncomingMessage): void {
  const keyLoad = request[KEY_LOAD];
  if (keyLoad && request[KEY_COUNTED]) keyLoad.inFlight--;
  request[KEY_COUNTED] = false;
  request[KEY_LOAD] = undefined;
  request[TURNS]?.end(keyLoad, request[TARGET]);
  request[TURNS] = undefined;
}

/** Releases the request of a closed connection: its response will not be sent. */
export function releaseAll(socket: Socket, load: LoadMonitor): void {
  if (socket[IN_FLIGHT]) release(socket[IN_FLIGHT], load);
}

/** For the turn that the request takes. */
export function setTarget(request: IncomingMessage, target: string | undefined): void {
  request[TARGET] = target;
}

/** A client that is slow to send a body that is read would keep a turn from all keys. */
export function takeTurnOnceRead(request: IncomingMessage, keyLoad: KeyLoad): true | Promise<true> {
  if (!owesBody(request)) return takeTurn(request, keyLoad);
  return (request[OWES_TURN] = true);
}

/** Takes a turn for the key until the handler is done, unless the request has one. */
export function takeTurn(request: IncomingMessage, keyLoad: KeyLoad): true | Promise<true> {
  const { turns } = keyLoad;
  const { [TARGET]: target } = request;
  if (!turns || request[TURNS]) return true;
  const begin = (isMyTurn: boolean): true => {
    if (!isMyTurn) throw turns.refusalOf(keyLoad, target);
    if (request.socket.destroyed || !request[KEY_LOAD]) {
      turns.end(keyLoad, target); // nothing would end it later
      throw withoutClient();
    }
    request[TURNS] = turns;
    return true;
  };
  const turn = turns.take(keyLoad, target);
  return turn instanceof Promise ? turn.then(begin) : begin(turn);
}

/** Such a request would only delay others. */
function withoutClient(): Error {
  return unavailable('The client has left.');
}
