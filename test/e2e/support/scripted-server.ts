import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Where nobody listens. The system gives out no port so low, and `fetch` refuses port 1. */
export const NOWHERE = '127.0.0.1:2';

export interface Answer {
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

/** What the server does with a request: answer, close the connection before or within the answer, or stay silent. */
export type Step = Answer | 'cut' | 'cut within' | 'silence';

export interface Received {
  readonly line: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** An HTTP server that takes the steps in turn, then answers 500, and records the requests. */
export async function scriptedServer(steps: readonly Step[]) {
  const received: Received[] = [];
  const left = [...steps];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url, headers } = request;
    received.push({ line: `${method} ${url}`, headers, body: await text(request) });
    const step = left.shift() ?? { status: 500 };
    if (step === 'silence') return;
    if (step === 'cut') {
      request.socket.resetAndDestroy();
    } else if (step === 'cut within') {
      response.writeHead(201, { 'content-length': '100' });
      response.write('{"id":1', () => request.socket.destroy());
    } else {
      response.writeHead(step.status ?? 200, step.headers).end(step.body);
    }
  };
  const server = createServer((request, response) => void take(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.closeAllConnections();
    return new Promise((stopped) => server.close(stopped));
  };
  return { received, baseUrl: `http://127.0.0.1:${port}`, stop };
}
