import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';

/** Puts a step in front of the present request handlers. They run when the step calls `handle`. */
export function prependHandler(
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
