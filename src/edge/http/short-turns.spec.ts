import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { keepTurnsShort } from './short-turns.js';

const CLIENTS = 30;
const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const WORK_MS = 2;

describe('Busy connections', () => {
  let server: Server;
  let sockets: Socket[];
  let oldestWaits: () => number | undefined;
  /** What the server did: accepted a connection, or handled a request, which takes longer than a turn should. */
  let done: ('accepted' | 'handled')[];
  /** By the order in which they were sent on one connection each. */
  let targets: string[];

  beforeEach(async () => {
    sockets = [];
    done = [];
    targets = [];
    server = createServer((request, response) => {
      done.push('handled');
      targets.push(request.url ?? '');
      for (const until = performance.now() + WORK_MS; performance.now() < until;);
      response.end();
    });
    server.on('connection', () => done.push('accepted'));
    oldestWaits = keepTurnsShort(server, { turnMs: 1, acceptingMs: 1, quietMs: 1_000 });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  const open = (): Socket => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket.on('error', () => {}));
    return socket;
  };
  const allAccepted = async (): Promise<void> => {
    while (done.filter((what) => what === 'accepted').length < CLIENTS) await once(server, 'connection');
  };
  /** Sends one request on each connection at once. */
  const crowd = async (): Promise<Socket[]> => {
    const clients = Array.from({ length: CLIENTS }, open);
    await allAccepted();
    for (const [i, socket] of clients.entries()) socket.write(REQUEST.replace('/', targetOf(i)));
    return clients;
  };
  const targetOf = (i: number) => `/${i}`;
  const aRequestWaits = async (): Promise<void> => {
    while (oldestWaits() === undefined) await new Promise(setImmediate);
  };

  it('let new ones be accepted between two requests', async () => {
    for (let i = 0; i < CLIENTS; i++) {
      const socket = open();
      socket.write(REQUEST);
      socket.on('data', () => socket.write(REQUEST));
    }
    await allAccepted();
    const requestsBetween = done
      .join(' ')
      .split('accepted')
      .map((part) => part.match(/handled/g)?.length ?? 0);
    expect(Math.max(...requestsBetween)).toBeLessThanOrEqual(4);
  });

  it('are answered in their order', async () => {
    const clients = await crowd();
    await Promise.all(clients.map((socket) => once(socket, 'data')));
    expect(targets).toEqual(clients.map((_, i) => targetOf(i)));
    expect(oldestWaits()).toBeUndefined();
  });

  it('show since when the oldest request waits', async () => {
    const before = performance.now();
    await crowd();
    await aRequestWaits();
    expect(oldestWaits()).toBeGreaterThan(before);
    expect(oldestWaits()).toBeLessThan(performance.now());
  });

  it('that close while their request waits leave it unhandled', async () => {
    const clients = await crowd();
    await aRequestWaits();
    for (const socket of clients) socket.resetAndDestroy();
    while (oldestWaits() !== undefined) await new Promise(setImmediate);
    expect(targets.length).toBeLessThan(CLIENTS);
  });
});
