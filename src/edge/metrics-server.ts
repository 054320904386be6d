import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { collectDefaultMetrics, Gauge } from 'prom-client';
import { Config } from '../common/config/config.js';
import { watchConnections } from './http/connections.js';
import { LIMITS } from './limits.js';
import { handleInOrder } from './http/pipelining.js';
import { findUp } from '../common/find-up.js';
import { ConfigError } from '../common/config/load-config.js';
import { Metrics } from '../observability/metrics.js';

/** Far more than scrapers need. */
const CONNECTIONS = 100;

/** Serves /metrics on a port of its own, which keeps the metrics from clients. */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('MetricsServer');
  private server?: Server;

  constructor(
    private readonly config: Config,
    private readonly metrics: Metrics,
  ) {}

  /** The URL of the server; undefined when no port is configured. */
  get origin(): string | undefined {
    const address = this.server?.address() as AddressInfo | null | undefined;
    return address ? `http://${this.config.metricsHost}:${address.port}` : undefined;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { metricsPort: port, metricsHost: host, revision } = this.config;
    if (port === undefined) return;
    collectDefaultMetrics({ register: this.metrics.registry });
    new Gauge({
      name: 'build_info',
      help: 'The version of the running service; always 1.',
      labelNames: ['version', 'node', 'revision'],
      registers: [this.metrics.registry],
    }).set({ version: packageVersion(), node: process.version, revision }, 1);
    this.server = createServer((request, response) => void this.answer(request, response));
    watchConnections(this.server, { ...LIMITS, connections: CONNECTIONS });
    handleInOrder(this.server);
    try {
      await once(this.server.listen(port, host), 'listening');
    } catch (error) {
      throw new ConfigError([
        `METRICS_PORT and METRICS_HOST must be a free address (${(error as Error).message})`,
      ]);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    if (!this.server?.listening) return;
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server?.close(resolve));
  }

  private async answer({ method, url }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (url !== '/metrics' || (method !== 'GET' && method !== 'HEAD')) {
      response.writeHead(404).end();
      return;
    }
    try {
      const text = await this.metrics.registry.metrics();
      response.writeHead(200, { 'content-type': this.metrics.registry.contentType }).end(text);
    } catch (error) {
      this.logger.error(error);
      response.writeHead(500).end();
    }
  }
}

function packageVersion(): string {
  const text = readFileSync(findUp('package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
