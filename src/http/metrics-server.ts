import { createRequire } from 'node:module';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { fastify } from 'fastify';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { UsageError } from '../common/command.js';
import { Config } from '../common/config.js';
import { lostLogLines } from '../common/log.js';

/** Serves /metrics on a port of its own, if one is set, which keeps the metrics from clients. */
@Injectable()
export class MetricsServer implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly server = fastify({ forceCloseConnections: true });

  constructor(
    private readonly config: Config,
    private readonly registry: Registry,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { metricsPort, metricsHost, revision } = this.config;
    if (metricsPort === undefined) return;
    this.registry.registerMetric(lostLogLines);
    collectDefaultMetrics({ register: this.registry });
    const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
    const build = { version, node: process.version, revision };
    const help = 'The version of the running service; always 1.';
    new Gauge({ name: 'build_info', help, labelNames: Object.keys(build), registers: [this.registry] }).set(build, 1);
    this.server.get('/metrics', (_request, reply) => {
      reply.type(Registry.PROMETHEUS_CONTENT_TYPE);
      return this.registry.metrics();
    });
    await this.server.listen({ port: metricsPort, host: metricsHost }).catch(({ message }: Error) => {
      throw new UsageError(`METRICS_PORT and METRICS_HOST must be a free address: ${message}`);
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.server.close();
  }
}
