import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { unavailable } from '../api/errors/api-error.js';
import type { KeyLoad } from '../common/exchange.js';
import { clientOf } from '../rate-limit/network-of.js';
import { hasBody, owesBody, readsBody } from './json-body.js';
import type { LoadMonitor } from './load-monitor.js';
import { Shares } from './shares.js';
import type { TransactionTurns } from './transaction-turns.js';

const COUNTED = Symbol('counted');
const SHARES = Symbol('shares');
const IN_FLIGHT = Symbol('in flight');
const TURNS = Symbol('turns');
const OWES_TURN = Symbol('owes a turn');
const TARGET = Symbol('target');

declare module 'node:http' {
  interface IncomingMessage {
    [COUNTED]?: boolean;
    /** Of a request with a known key, until it is answered. */
    [SHARES]?: Shares | undefined;
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
  };
  if (hasBody(request) && READ_BODY.has(request.method)) request.on('end', count);
  else count();
}

/** Has the request take its shares, or refuses it. One that waits for its body does so once that has arrived. */
export function requireShares(request: FastifyRequest, keyLoad: KeyLoad, load: LoadMonitor): void {
  const { raw } = request;
  requireClient(raw);
  const shares = (raw[SHARES] ??= new Shares(keyLoad, clientOf(request), load));
  if (readsBody(request) && owesBody(raw)) shares.requireRoom();
  else shares.take();
}

/** The body, once the request has its place: one whose body was late takes what it owes. */
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
  const shares = request[SHARES];
  shares?.take();
  return !request[OWES_TURN] || !shares || takeTurn(request, shares.keyLoad);
}

export function release(request: IncomingMessage, load: LoadMonitor): void {
  if (!request[COUNTED]) return;
  request[COUNTED] = false;
  request.socket[IN_FLIGHT] = undefined;
  load.inFlight--;
}

/** Ends shares and turn, once the handler is done: a client cannot shorten that by closing its connection. */
export function releaseShares(request: IncomingMessage, hasChanged: boolean): void {
  const shares = request[SHARES];
  shares?.end();
  request[SHARES] = undefined;
  request[TURNS]?.end(shares?.keyLoad, request[TARGET], { id: request, hasChanged });
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
    if (request.socket.destroyed || !request[SHARES]) {
      turns.end(keyLoad, target, { id: request }); // nothing would end it later
      throw withoutClient();
    }
    request[TURNS] = turns;
    return true;
  };
  const turn = turns.take(keyLoad, target, request);
  return turn instanceof Promise ? turn.then(begin) : begin(turn);
}

/** A request without a client would only delay others. */
export function requireClient({ socket }: IncomingMessage): void {
  if (socket.destroyed) throw withoutClient();
}

function withoutClient(): Error {
  return unavailable('The client has left.');
}
