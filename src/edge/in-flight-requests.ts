import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { unavailable } from '../api/errors/api-error.js';
import type { KeyLoad } from '../common/exchange.js';
import { hasBody, owesBody } from './json-body.js';
import type { LoadMonitor, Sharer } from './load-monitor.js';
import { beyondShare, type TransactionTurns } from './transaction-turns.js';

const COUNTED = Symbol('counted');
const KEY_LOAD = Symbol('load of the key');
const SHARES_COUNTED = Symbol('counted for key and network');
const NETWORK = Symbol('network');
const TAKEN_SHARE = Symbol('taken share');
const IN_FLIGHT = Symbol('in flight');
const TURNS = Symbol('turns');
const OWES_TURN = Symbol('owes a turn');
const TARGET = Symbol('target');

declare module 'node:http' {
  interface IncomingMessage {
    [COUNTED]?: boolean;
    /** Until the request is answered. */
    [KEY_LOAD]?: KeyLoad | undefined;
    [SHARES_COUNTED]?: boolean;
    /** Of the client, for a request of a key. */
    [NETWORK]?: string;
    /** Whose share was taken when the body was complete. */
    [TAKEN_SHARE]?: Sharer | undefined;
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
    const { [KEY_LOAD]: keyLoad, [NETWORK]: network } = request;
    if (!keyLoad || network === undefined) return;
    request[TAKEN_SHARE] = takenShare(keyLoad, network, load);
    countShares(request, keyLoad, network, load);
  };
  if (hasBody(request) && READ_BODY.has(request.method)) request.on('end', count);
  else count();
}

/** Counts the request for its key and network as well, or refuses it when one of them has its share. */
export function countForShares(
  request: IncomingMessage,
  keyLoad: KeyLoad,
  network: string,
  load: LoadMonitor,
): void {
  if (request.socket.destroyed) throw withoutClient();
  const taken = takenShare(keyLoad, network, load);
  if (taken) throw beyondShare(taken);
  request[KEY_LOAD] = keyLoad;
  request[NETWORK] = network;
  if (request[COUNTED]) countShares(request, keyLoad, network, load);
}

function takenShare(keyLoad: KeyLoad, network: string, load: LoadMonitor): Sharer | undefined {
  if (load.isShareTaken('key', keyLoad.inFlight)) return 'key';
  return load.isShareTaken('network', load.ofNetworks.of(network)) ? 'network' : undefined;
}

function countShares(request: IncomingMessage, keyLoad: KeyLoad, network: string, load: LoadMonitor): void {
  keyLoad.inFlight++;
  load.ofNetworks.add(network);
  request[SHARES_COUNTED] = true;
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
  const taken = request[TAKEN_SHARE];
  if (taken) throw beyondShare(taken);
  const keyLoad = request[KEY_LOAD];
  return !request[OWES_TURN] || !keyLoad || takeTurn(request, keyLoad);
}

export function release(request: IncomingMessage, load: LoadMonitor): void {
  if (!request[COUNTED]) return;
  request[COUNTED] = false;
  request.socket[IN_FLIGHT] = undefined;
  load.inFlight--;
}

/** Ends what is counted for key and network, once the handler is done: a client cannot shorten it by closing its connection. */
export function releaseShares(request: IncomingMessage, load: LoadMonitor): void {
  const { [KEY_LOAD]: keyLoad, [NETWORK]: network } = request;
  if (keyLoad && network !== undefined && request[SHARES_COUNTED]) {
    keyLoad.inFlight--;
    load.ofNetworks.remove(network);
  }
  request[SHARES_COUNTED] = false;
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
