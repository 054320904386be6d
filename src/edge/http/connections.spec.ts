import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it } from '@jest/globals';
import { markShared, watchConnections } from './connections.js';
import { handleInOrder } from './pipelining.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const LIMITS = { connections: 10, stalledMs: 300, silentMs: 200, unsentBytes: 100_000_000 };
const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

describe('watchConnections', () => {
  let server: Server;
  let open: Socket[] = [];
  let reasons: string[] = [];
  const start = async (answer: Buffer, limits: Partial<typeof LIMITS> = {}): Promise<void> => {
    server = createServer((request, response) => {
      if (request.url === '/shared') markShared(response);
      response.end(answer);
    });
    watchConnections(server, { ...LIMITS, ...limits }, (reason) => reasons.push(reason));
    await once(server.listen(0, '127.0.0.1'), 'listening');
  };
  const visit = async (reads: boolean, text = GET): Promise<Socket> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
    open.push(socket);
    if (reads) socket.resume();
    await once(socket, 'connect');
    socket.write(text);
    return socket;
  };
  /** The number of connections that are open on the server. */
  const count = async (): Promise<number> =>
    new Promise((resolve) => server.getConnections((_error, number) => resolve(number)));
  afterEach(async () => {
    for (const socket of open) socket.destroy();
    open = [];
    reasons = [];
    server.close();
    await once(server, 'close');
  });

  it('closes a connection whose client does not read its answer', async () => {
    await start(Buffer.alloc(20_000_000));
    await visit(false);
    while ((await count()) === 0) await delay(10);
    while ((await count()) > 0) await delay(10);
    expect(reasons).toEqual(['stalled']);
  });

  it('keeps a connection whose client reads its answers', async () => {
    // Small enough to be sent at once, even when this process, which is also the client, is busy.
    await start(Buffer.alloc(200_000));
    const socket = await visit(true);
    for (let i = 0; i < 8; i++) {
      await delay(100);
      socket.write(GET);
    }
    expect(await count()).toBe(1);
  });

  it('is kept while the client takes a single large answer, however long that lasts', async () => {
    const bytes = 200_000_000;
    await start(Buffer.alloc(bytes), { stalledMs: 600, unsentBytes: Infinity });
    const socket = await visit(true);
    let taken = 0;
    let breathAt = 0;
    socket.on('data', (chunk: Buffer) => {
      taken += chunk.length;
      if (taken < breathAt) return;
      breathAt = taken + 2_000_000;
      socket.pause();
      setTimeout(() => socket.resume(), 20);
    });
    while (taken < bytes && !socket.destroyed) await delay(10);
    expect(taken).toBeGreaterThanOrEqual(bytes);
  });

  it('keeps a connection whose client could not read because this process was paused', async () => {
    const bytes = 20_000_000;
    await start(Buffer.alloc(bytes), { stalledMs: 600 });
    const socket = await visit(false);
    while ((await count()) === 0) await delay(10);
    await delay(100); // for the buffers of the kernel to be full, and a round of checks
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
    let taken = 0;
    socket.on('data', (chunk: Buffer) => (taken += chunk.length));
    while (taken < bytes && !socket.destroyed) await delay(10);
    expect(taken).toBeGreaterThanOrEqual(bytes);
  });

  it('of the slowest reader is cut when unsent answers take too much memory, shared ones left out', async () => {
    await start(Buffer.alloc(20_000_000), { stalledMs: 5_000, unsentBytes: 30_000_000 });
    const sockets: Socket[] = [];
    server.on('connection', (socket) => sockets.push(socket));
    for (const target of ['/shared', '/shared', '/1', '/2', '/3']) {
      const before = sockets.length;
      await visit(false, `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
      while (sockets.length === before) await delay(10);
      await delay(600); // longer than a round of checks
    }
    while ((await count()) > 3) await delay(10);
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, false, true, true, false]);
    expect(reasons).toEqual(['slow', 'slow']);
  });

  it('keeps nothing of a request whose answer an idle connection has taken', async () => {
    const requests: WeakRef<IncomingMessage>[] = [];
    await start(Buffer.alloc(10));
    handleInOrder(server);
    server.on('request', (request) => requests.push(new WeakRef(request)));
    for (const target of ['/1', '/shared']) {
      await visit(true, `GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(2));
    }
    while (requests.length < 4) await delay(10);
    while (requests.some((request) => request.deref())) {
      await delay(50);
      collectGarbage();
    }
    expect(await count()).toBe(2);
  });

  it('closes silent connections when more than half of the limit is in use', async () => {
    await start(Buffer.alloc(10));
    for (let i = 0; i < 5; i++) await visit(true);
    await delay(500);
    expect(await count()).toBe(5);
    await visit(true);
    while ((await count()) > 1) await delay(10);
    expect(new Set(reasons)).toEqual(new Set(['silent']));
  });

  it('refuses connections beyond the limit', async () => {
    await start(Buffer.alloc(10), { silentMs: 60_000 });
    for (let i = 0; i < 12; i++) await visit(true);
    while ((await count()) < 10) await delay(10);
    await delay(50);
    expect(await count()).toBe(10);
  });

  it('closes connections that were reset before they are accepted', async () => {
    await start(Buffer.alloc(10));
    let accepted = 0;
    server.on('connection', () => accepted++);
    const { port } = server.address() as AddressInfo;
    // This process accepts nothing until the client has ended.
    execFileSync(process.execPath, [
      '-e',
      `const socket = net.connect(${port}, '127.0.0.1', () =>
        socket.write(${JSON.stringify(GET)}, () => socket.resetAndDestroy()))`,
    ]);
    await once(await visit(true), 'data');
    expect(accepted).toBe(1);
  });
});
