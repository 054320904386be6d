import cluster from 'node:cluster';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { collectDefaultMetrics, Gauge } from 'prom-client';
import { Config } from '../common/config/config.js';
import { findUp } from '../common/find-up.js';
import { Metrics } from '../observability/metrics.js';
import { serveMetrics } from './serve-metrics.js';

/** Completes the metrics of this process and serves them, unless the primary serves those of all workers. */
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
      aggregator: 'first',
      registers: [this.metrics.registry],
    }).set({ version: packageVersion(), node: process.version, revision }, 1);
    if (cluster.isWorker) return;
    const { registry } = this.metrics;
    this.server = await serveMetrics({ port, host }, () => registry.metrics(), this.logger);
  }

  async onApplicationShutdown(): Promise<void> {
    if (!this.server?.listening) return;
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server?.close(resolve));
  }
}

function packageVersion(): string {
  const text = readFileSync(findUp('package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
