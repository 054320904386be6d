import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { handleInOrder } from './pipelining.js';

const LIMITS = { pipelined: 3, pipelinedInAll: 4 };

describe('Pipelined requests', () => {
  let server: Server;
  let sockets: Socket[];
  /** Requests being handled, by target, until `answer` is called. */
  let handling: Map<string, ServerResponse>;

  beforeEach(async () => {
    sockets = [];
    handling = new Map();
    server = createServer((request, response) => {
      handling.set(request.url ?? '', response);
      server.emit('handling');
    });
    handleInOrder(server, LIMITS);
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });

  const get = (target: string, header = 'X: x') => `GET ${target} HTTP/1.1\r\nHost: x\r\n${header}\r\n\r\n`;
  const send = (...targets: string[]) => sendText(targets.map((target) => get(target)).join(''));
  const sendText = (text: string) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    sockets.push(socket);
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => (received += text));
    socket.on('error', () => {});
    socket.write(text);
    const closed = once(socket, 'close');
    return { socket, closed, received: () => received.match(/answer to \S+?;/g) ?? [] };
  };
  /** The number of connections that are open on the server. */
  const count = async (): Promise<number> =>
    new Promise((resolve) => server.getConnections((_error, number) => resolve(number)));
  const handled = async (target: string): Promise<ServerResponse> => {
    for (;;) {
      const response = handling.get(target);
      if (response) return response;
      await once(server, 'handling');
    }
  };
  const answer = async (target: string): Promise<void> => {
    (await handled(target)).end(`answer to ${target};`);
  };

  it('begin outside of the context of the previous one', async () => {
    const context = new AsyncLocalStorage<string>();
    const contexts: (string | undefined)[] = [];
    server.on('handling', () => contexts.push(context.getStore()));
    send('/1', '/2');
    await handled('/1');
    await context.run('/1', () => answer('/1'));
    await handled('/2');
    expect(contexts).toEqual([undefined, undefined]);
  });

  it('are handled one after the other, and answered in their order', async () => {
    const { socket, received } = send('/1', '/2', '/3');
    for (const target of ['/1', '/2', '/3']) {
      await handled(target);
      expect([...handling.keys()].at(-1)).toBe(target);
      await answer(target);
    }
    while (received().length < 3) await once(socket, 'data');
    expect(received()).toEqual(['answer to /1;', 'answer to /2;', 'answer to /3;']);
  });

  it('wait while the client does not take the answer before them', async () => {
    const { socket } = send('/1', '/2');
    socket.pause();
    (await handled('/1')).end(Buffer.alloc(20_000_000));
    const other = send('/a', '/b');
    await answer('/a');
    await answer('/b');
    while (other.received().length < 2) await once(other.socket, 'data');
    expect(handling.has('/2')).toBe(false);
    socket.resume();
    await handled('/2');
  });

  it('take turns with those of other connections', async () => {
    const [one, other] = [send('/one'), send('/other')];
    await answer('/one');
    await answer('/other');
    while (one.received().length + other.received().length < 2) await delay(5);
    handling.clear();
    server.on('handling', () => [...handling.values()].at(-1)?.end());
    one.socket.write(['/1', '/2', '/3'].map((target) => get(target)).join(''));
    other.socket.write(['/a', '/b', '/c'].map((target) => get(target)).join(''));
    await Promise.all([handled('/3'), handled('/c')]);
    const order = [...handling.keys()];
    expect(order.indexOf('/a')).toBeLessThan(order.indexOf('/3'));
    expect(order.indexOf('/1')).toBeLessThan(order.indexOf('/c'));
  });

  it('are not handled behind the last answer of their connection', async () => {
    const { closed } = send('/1', '/2');
    (await handled('/1')).setHeader('connection', 'close').end();
    await closed;
    expect(handling.has('/2')).toBe(false);
  });

  it('close their connection when they are too many', async () => {
    const most = send('/1', '/2', '/3');
    await handled('/1');
    const tooMany = send('/a', '/b', '/c', '/d');
    await tooMany.closed;
    expect(most.socket.destroyed).toBe(false);
    expect(tooMany.received()).toEqual([]);
  });

  it('close their connection when those of all connections are too many, until there is room', async () => {
    const first = send('/1', '/2', '/3');
    await handled('/1');
    const second = send('/a', '/b', '/c');
    await handled('/a');
    await send('/x', '/y').closed;
    handling.clear();
    expect([first.socket.destroyed, second.socket.destroyed]).toEqual([false, false]);

    first.socket.destroy();
    while ((await count()) > 1) await delay(10);
    send('/x', '/y');
    await answer('/x');
    await handled('/y');
  });

  it('count as very many with a body in chunks, whose size is unknown', async () => {
    const chunked = 'POST /2 HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
    await sendText(get('/1') + chunked).closed;
    expect(handling.has('/2')).toBe(false);
  });

  it.each([
    ['a long header', get('/large', `X: ${'x'.repeat(4_000)}`)],
    ['many headers', get('/large', 'X:\r\n'.repeat(40).trimEnd())],
    ['a body', `POST /large HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n${'x'.repeat(5_000)}`],
  ])('count as several with %s', async (_what, large) => {
    const few = sendText(get('/1') + large);
    await answer('/1');
    await handled('/large');
    expect(few.socket.destroyed).toBe(false);
    await sendText(get('/a') + large + get('/b')).closed;
  });
});
