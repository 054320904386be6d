import { Agent, request as send } from 'node:http';

/** A client for one origin with kept-alive connections; `call` rejects if there is no answer. */
export function httpClient(drill, origin, { connections = 1, timeoutMs = 30_000 } = {}) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' });
  drill.defer(() => agent.destroy());
  const { hostname, port } = new URL(origin);

  const call = (method, path, { headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const started = performance.now();
      const request = send({ agent, hostname, port, method, path, headers }, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => (text += chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode,
            headers: response.headers,
            text,
            ms: performance.now() - started,
          }),
        );
      });
      request.setTimeout(timeoutMs, () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)));
      request.on('error', reject);
      request.end(body);
    });
  return { call };
}

export const bearer = (key) => ({ authorization: `Bearer ${key}` });
