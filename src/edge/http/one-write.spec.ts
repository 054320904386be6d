import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { sendInOneWrite } from './one-write.js';

describe('sendInOneWrite', () => {
  const stops: (() => void)[] = [];
  afterEach(() => {
    for (const stop of stops.splice(0)) stop();
  });

  /** Returns the body the client received and the number of plain writes; vectored writes (`_writev`) are not counted. */
  async function fetchFrom(answer: RequestListener): Promise<{ text: string; writes: number }> {
    const server = createServer(answer);
    sendInOneWrite(server);
    let writes = 0;
    server.on('connection', (socket) => {
      const write = socket._write.bind(socket);
      socket._write = (...given) => {
        writes++;
        write(...given);
      };
    });
    stops.push(() => {
      server.close();
      server.closeAllConnections();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    return { text: await response.text(), writes };
  }

  it('sends head and body in a single write', async () => {
    const answer = await fetchFrom((_request, response) => response.end('{"Grüße":"🐕"}'));
    expect(answer).toEqual({ text: '{"Grüße":"🐕"}', writes: 1 });
  });

  it('sends a body of bytes completely', async () => {
    const bytes = Buffer.alloc(1_000_000, 'x');
    expect((await fetchFrom((_request, response) => response.end(bytes))).text).toBe(bytes.toString());
  });

  it('sends a body written in parts completely', async () => {
    const { text } = await fetchFrom((_request, response) => {
      for (const part of ['one ', 'two ', '']) response.write(part);
      response.end('three');
    });
    expect(text).toBe('one two three');
  });

  it('sends an answer without a body', async () => {
    expect((await fetchFrom((_request, response) => response.writeHead(204).end())).text).toBe('');
  });
});
