import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { screenConnections } from './accept.js';
import { prependHandler } from './prepend-handler.js';
import { isLate, keepTurnsShort } from './short-turns.js';

const CLIENTS = 30;
const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const WORK_MS = 2;
const LONG = 1_000_000;
/** Each request takes longer than a turn. */
const LIMITS = { turnMs: 1, acceptingMs: LONG, quietMs: 0, lateMs: LONG, lastingMs: LONG };

describe('Busy connections', () => {
  let server: Server;
  let sockets: Socket[];
  /** What the server did: accepted a connection, or handled a request. */
  let done: ('accepted' | 'handled')[];
  let handled: IncomingMessage[];

  beforeEach(() => {
    sockets = [];
    done = [];
    handled = [];
    server = createServer((request, response) => {
      done.push('handled');
      handled.push(request);
      for (const until = performance.now() + WORK_MS; performance.now() < until;);
      response.end();
      server.emit('handled');
    });
    server.on('connection', () => done.push('accepted'));
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  /** The first letter of a target stands for the network. */
  const listen = async (limits: Partial<typeof LIMITS> = {}): Promise<void> => {
    keepTurnsShort(server, ({ url = '' }) => url.slice(1, 2), { ...LIMITS, ...limits });
    screenConnections(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
  };
  const open = (): Socket => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket.on('error', () => {}));
    return socket;
  };
  const allAccepted = async (): Promise<void> => {
    while (done.filter((what) => what === 'accepted').length < CLIENTS) await once(server, 'connection');
  };
  const ask = (socket: Socket, target = '/') => socket.write(REQUEST.replace('/', target));
  const clients = async (): Promise<Socket[]> => {
    const all = Array.from({ length: CLIENTS }, open);
    await allAccepted();
    return all;
  };
  /** Sends one request on each connection at once. */
  const crowd = async (targets: readonly string[]): Promise<void> => {
    const all = await clients();
    for (const [i, socket] of all.entries()) ask(socket, targets[i]);
    await answered();
  };
  const answered = async (): Promise<void> => {
    await Promise.all(sockets.map((socket) => once(socket, 'data')));
  };
  const targetsOf = (network: string, count = CLIENTS) =>
    Array.from({ length: count }, (_, i) => `/${network}${i}`);
  const urls = () => handled.map(({ url }) => url);

  it('let new ones be accepted between two requests', async () => {
    await listen({ turnMs: LONG, acceptingMs: 1, quietMs: LONG });
    for (let i = 0; i < CLIENTS; i++) {
      const socket = open();
      ask(socket);
      socket.on('data', () => ask(socket));
    }
    await allAccepted();
    const requestsBetween = done
      .join(' ')
      .split('accepted')
      .map((part) => part.match(/handled/g)?.length ?? 0);
    expect(Math.max(...requestsBetween)).toBeLessThanOrEqual(4);
  });

  it('are answered in their order, those that come later behind those that wait', async () => {
    await listen();
    const all = await clients();
    const targets = targetsOf('a');
    const first = CLIENTS / 2;
    for (let i = 0; i < first; i++) ask(all[i]!, targets[i]);
    for (let i = 0; i < 3; i++) await once(server, 'handled');
    for (let i = first; i < CLIENTS; i++) ask(all[i]!, targets[i]);
    await answered();
    expect(urls()).toEqual(targets);
  });

  it('of other networks wait for one request of each network', async () => {
    await listen();
    const many = targetsOf('a', CLIENTS - 2);
    await crowd([...many, '/b', '/c']);
    const place = urls().indexOf('/b');
    expect(place).toBeLessThan(CLIENTS / 2);
    expect(urls()).toEqual(many.toSpliced(place, 0, '/b', '/c'));
  });

  it('share a turn until its time is over', async () => {
    await listen({ turnMs: 8 * WORK_MS });
    const all = await clients();
    let turns = 0;
    const count = (): void => {
      turns++;
      if (handled.length < CLIENTS) setImmediate(count);
    };
    server.once('handled', count);
    for (const socket of all) ask(socket);
    await answered();
    expect(turns).toBeLessThan(CLIENTS * 0.8);
  });

  it('tell how long their requests have waited, and which are late', async () => {
    await listen({ lateMs: 10, lastingMs: 10 });
    await crowd(targetsOf('a'));
    const [first, last] = [handled[0]!, handled.at(-1)!];
    expect(first.waitedMs).toBeUndefined();
    expect(last.waitedMs).toBeGreaterThan((CLIENTS / 2) * WORK_MS);
    expect([first, last].map(isLate)).toEqual([false, true]);
  });

  it('are late when those of many networks have waited for long', async () => {
    await listen({ lateMs: 10, lastingMs: 10 });
    const letters = 'abcdefghijklmnopqrstuvwxyzABCD';
    await crowd([...letters].map((letter) => `/${letter}`));
    expect(isLate(handled.at(-1)!)).toBe(true);
  });

  it('are not late at once', async () => {
    await listen({ lateMs: 0 });
    await crowd(targetsOf('a'));
    expect(handled.filter(isLate)).toEqual([]);
  });

  it('keep the context of a request from those that wait', async () => {
    const context = new AsyncLocalStorage<string | undefined>();
    const contexts: (string | undefined)[] = [];
    server.prependListener('request', () => contexts.push(context.getStore()));
    await listen();
    prependHandler(server, (request, response, handle) =>
      context.run(request.url, () => handle(request, response)),
    );
    await crowd(targetsOf('a'));
    expect(contexts).toEqual(['/a0', ...Array<undefined>(CLIENTS - 1).fill(undefined)]);
  });

  it('that close while their request waits leave it unhandled', async () => {
    await listen();
    for (const socket of await clients()) ask(socket);
    for (let i = 0; i < 3; i++) await once(server, 'handled');
    for (const socket of sockets) socket.resetAndDestroy();
    await new Promise((resolve) => server.close(resolve));
    for (let turns = 0; turns <= CLIENTS; turns++) await new Promise(setImmediate);
    server.listen(0, '127.0.0.1');
    expect(handled.length).toBeLessThan(CLIENTS);
  });
});
