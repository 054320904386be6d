import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { ConfigError } from '../common/config/load-config.js';
import { watchConnections } from './http/connections.js';
import { handleInOrder } from './http/pipelining.js';
import { LIMITS } from './limits.js';

/** Far more than scrapers need. */
const CONNECTIONS = 100;

/** Serves /metrics on a port of its own, which keeps the metrics from clients. */
export async function serveMetrics(
  { port, host }: { port: number; host: string },
  collect: () => Promise<string>,
  log: { error(error: unknown): void },
): Promise<Server> {
  const share = shared(collect);
  const server = createServer((request, response) => void answer(request, response, share, log));
  watchConnections(server, { ...LIMITS, connections: CONNECTIONS });
  handleInOrder(server);
  try {
    await once(server.listen(port, host), 'listening');
    return server;
  } catch (error) {
    throw new ConfigError([
      `METRICS_PORT and METRICS_HOST must be a free address (${(error as Error).message})`,
    ]);
  }
}

/** Scrapers that ask at the same time get the same page, so that many of them cost little more than one. */
function shared(collect: () => Promise<string>): () => Promise<string> {
  let page: Promise<string> | undefined;
  return () =>
    (page ??= setImmediate()
      .then(collect)
      .finally(() => (page = undefined)));
}

async function answer(
  { method, url }: IncomingMessage,
  response: ServerResponse,
  collect: () => Promise<string>,
  log: { error(error: unknown): void },
): Promise<void> {
  if (url !== '/metrics' || (method !== 'GET' && method !== 'HEAD')) {
    response.writeHead(404).end();
    return;
  }
  try {
    const text = await collect();
    response.writeHead(200, { 'content-type': Registry.PROMETHEUS_CONTENT_TYPE }).end(text);
  } catch (error) {
    log.error(error);
    response.writeHead(500).end();
  }
}
