import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';

/** Puts a step in front of all that handles requests so far; the step decides whether `handle` is called, and when. */
export function handleBefore(
  server: Server,
  step: (request: IncomingMessage, response: ServerResponse, handle: RequestListener) => void,
): void {
  const listeners = server.listeners('request') as RequestListener[];
  const handle: RequestListener = (request, response) => {
    for (const listener of listeners) listener.call(server, request, response);
  };
  server.removeAllListeners('request');
  server.on('request', (request, response) => step(request, response, handle));
}
