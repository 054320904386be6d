import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { Config, ConfigError } from '../common/config.js';
import { lostLogLines } from '../common/log.js';
import { Metrics } from '../common/metrics.js';

/** Serves /metrics on a port of its own, if one is set, which keeps the metrics from clients. */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly server = createServer(({ method, url }, response) => {
    const isScrape = url === '/metrics' && (method === 'GET' || method === 'HEAD');
    const page = isScrape ? this.metrics.registry.metrics() : Promise.reject(new Error('Not found'));
    page.then(
      (text) => response.writeHead(200, { 'content-type': Registry.PROMETHEUS_CONTENT_TYPE }).end(text),
      () => response.writeHead(isScrape ? 500 : 404).end(),
    );
  });

  constructor(
    private readonly config: Config,
    private readonly metrics: Metrics,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { metricsPort, metricsHost, revision } = this.config;
    if (metricsPort === undefined) return;
    const registers = [this.metrics.registry];
    this.metrics.total('log_lines_lost_total', 'Log lines that could not be written.', lostLogLines);
    collectDefaultMetrics({ register: this.metrics.registry });
    const build = {
      version: (createRequire(import.meta.url)('../../package.json') as { version: string }).version,
      node: process.version,
      revision,
    };
    const help = 'The version of the running service; always 1.';
    new Gauge({ name: 'build_info', help, labelNames: Object.keys(build), registers }).set(build, 1);
    await once(this.server.listen(metricsPort, metricsHost), 'listening').catch(({ message }: Error) => {
      throw new ConfigError([`METRICS_PORT and METRICS_HOST must be a free address (${message})`]);
    });
  }

  onApplicationShutdown(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}
