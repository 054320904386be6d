import cluster from 'node:cluster';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Metrics } from '../observability/metrics.js';
import type { Grant, PermitRequest } from '../rate-limit/permits.js';
import { RateLimits } from '../rate-limit/rate-limits.js';
import { serve } from '../serve.js';
import { shutDown } from '../shut-down.js';
import { STOP_SIGNALS } from '../signals.js';
import type { ToPrimary, ToWorker } from './messages.js';

const grants = new Map<number, (grant: Grant) => void>();
let lastId = 0;
let app: NestFastifyApplication | undefined;
let isEnding = false;

/** Runs the service in a worker process. Node.js ends it when the primary is gone. */
export async function work(): Promise<void> {
  // A signal to the process group reaches the primary too, and it alone decides which worker ends when.
  for (const signal of STOP_SIGNALS) process.on(signal, () => {});
  process.on('message', receive);
  send({ type: 'reachable' });
  await serve({
    worker: cluster.worker?.id,
    attach(created) {
      app = created;
      app.get(RateLimits).countWith(ask);
    },
  });
  send({ type: 'started' });
}

function receive(message: ToWorker): void {
  if (message.type === 'collect') void collect();
  else if (message.type === 'grant') {
    grants.get(message.id)?.(message.grant);
    grants.delete(message.id);
  } else if (!app) process.exit(0);
  else if (!isEnding) {
    isEnding = true;
    const isReplaced = message.type === 'retire';
    void shutDown(app, isReplaced ? 'SIGHUP' : message.signal, { successor: isReplaced });
  }
}

async function collect(): Promise<void> {
  if (app) send({ type: 'collected', metrics: await app.get(Metrics).registry.getMetricsAsJSON() });
}

function ask(request: PermitRequest): Promise<Grant> {
  const id = ++lastId;
  send({ type: 'ask', id, request });
  return new Promise((resolve) => grants.set(id, resolve));
}

function send(message: ToPrimary): void {
  process.send?.(message, undefined, undefined, () => {}); // without the primary, this process ends
}
