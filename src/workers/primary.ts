import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Logger } from 'pino';
import type { Config } from '../common/config/config.js';
import { LIMITS } from '../edge/limits.js';
import { serveMetrics } from '../edge/serve-metrics.js';
import { createLogger } from '../observability/logger.js';
import { Permits } from '../rate-limit/permits.js';
import { CLOSE_MS, exitOnCrash, ignoreUserSignals, onStopSignal, STOP_SIGNALS } from '../signals.js';
import { sendTo, type ToPrimary } from './messages.js';
import { closeUntaken, limitWaitingConnections } from './waiting-connections.js';
import { WorkerMetrics } from './worker-metrics.js';

/** More deaths than this of each worker within the time are a crash loop. */
const MOST_DEATHS = 3;
const DEATHS_WITHIN_MS = 60_000;
/** After the time that a worker has, it is killed. */
const KILL_MS = 500;

/** Runs the service in several processes. This one serves no requests: it starts, replaces and ends the workers. */
export async function supervise(config: Config, main: string): Promise<void> {
  const log = createLogger(config);
  exitOnCrash(log);
  ignoreUserSignals(log);
  const primary = new Primary(config, log);
  process.on('exit', () => primary.kill());
  cluster.setupPrimary({ exec: main, args: [], execArgv: [...process.execArgv, '--enable-source-maps'] });
  // A terminal that is closed sends SIGHUP too, and nothing must survive it.
  const renews = !process.stdout.isTTY;
  onStopSignal(renews ? ['SIGTERM', 'SIGINT'] : STOP_SIGNALS, (signal) => primary.stop(signal));
  if (renews) process.on('SIGHUP', () => primary.renew());
  const { metricsPort: port, metricsHost: host } = config;
  if (port !== undefined) await serveMetrics({ port, host }, () => primary.metrics(), log);
  // After that of the metrics.
  limitWaitingConnections(LIMITS.backlog, () => primary.collected.closed.inc({ reason: 'queued' }));
  primary.start();
}

class Primary {
  private readonly permits: Permits;
  readonly collected = new WorkerMetrics();
  private readonly serving = new Set<Worker>();
  private readonly retired = new WeakSet<Worker>();
  private deaths: number[] = [];
  private renewal: Promise<void> = Promise.resolve();
  private hasStarted = false;
  private stopSignal: NodeJS.Signals | undefined;
  private exitCode = 0;

  constructor(
    private readonly config: Config,
    private readonly log: Logger,
  ) {
    this.permits = new Permits(config.workerCount);
  }

  start(): void {
    this.renewal = this.startAll();
  }

  metrics(): Promise<string> {
    return this.collected.collect([...this.serving]);
  }

  /** Replaces the workers one after another, each by one that is ready. */
  renew(): void {
    this.renewal = this.renewal.then(() => this.renewAll());
  }

  stop(signal: NodeJS.Signals, exitCode = 0): void {
    if (this.isStopping) return;
    this.stopSignal = signal;
    this.exitCode = exitCode;
    for (const worker of runningWorkers()) sendTo(worker, { type: 'stop', signal });
    setTimeout(() => process.exit(1), this.endMs);
    this.exitIfAlone();
  }

  /** Stopped or blocked workers would not notice that this process is gone. */
  kill(): void {
    for (const worker of runningWorkers()) worker.process.kill('SIGKILL');
  }

  private get isStopping(): boolean {
    return this.stopSignal !== undefined;
  }

  private get endMs(): number {
    return this.config.drainMs + CLOSE_MS + KILL_MS;
  }

  /** The first worker starts alone: it migrates the database, and a mistake in the settings is reported once. */
  private async startAll(): Promise<void> {
    this.hasStarted = await this.startWorker();
    const others = Array.from({ length: this.config.workerCount - 1 }, () => this.startSurely());
    await Promise.all(others);
    this.log.info({ workers: this.serving.size }, 'The workers serve requests.');
  }

  private async startSurely(): Promise<void> {
    while (!this.isStopping && !(await this.startWorker()));
  }

  /** Resolves to whether the worker got ready. */
  private startWorker(): Promise<boolean> {
    const worker = cluster.fork();
    closeUntaken(worker);
    worker.on('error', () => {}); // a message to a worker that is ending
    return new Promise((resolve) => {
      worker.on('message', (message: ToPrimary) => {
        if (message.type === 'started') {
          this.serving.add(worker);
          resolve(true);
        } else this.answer(worker, message);
      });
      worker.once('exit', (code: number | null, signal: string | null) => {
        resolve(false);
        this.noteEnd(worker, code, signal);
      });
    });
  }

  private answer(worker: Worker, message: Exclude<ToPrimary, { type: 'started' }>): void {
    if (message.type === 'collected') this.collected.receive(worker, message.metrics);
    else if (message.type === 'reachable') {
      if (this.stopSignal) sendTo(worker, { type: 'stop', signal: this.stopSignal });
    } else sendTo(worker, { type: 'grant', id: message.id, grant: this.permits.grant(message.request) });
  }

  private async renewAll(): Promise<void> {
    const present = [...this.serving];
    for (const worker of present) {
      if (this.isStopping) return;
      if (!(await this.startWorker())) {
        this.log.error('A new worker did not start; the present ones go on.');
        return;
      }
      await this.retire(worker);
    }
    this.log.info({ workers: this.serving.size }, 'The workers are renewed.');
  }

  private async retire(worker: Worker): Promise<void> {
    if (!this.serving.delete(worker)) return; // it has died and been replaced
    this.retired.add(worker);
    const killing = setTimeout(() => worker.process.kill('SIGKILL'), this.endMs);
    sendTo(worker, { type: 'retire' });
    await once(worker, 'exit');
    clearTimeout(killing);
  }

  private noteEnd(worker: Worker, code: number | null, signal: string | null): void {
    const served = this.serving.delete(worker);
    this.collected.forget(worker);
    if (this.isStopping) {
      if (code !== 0) this.exitCode = 1;
      this.exitIfAlone();
      return;
    }
    if (!this.hasStarted) process.exit(code ?? 1); // the worker has said why
    if (this.retired.has(worker)) return;
    const now = performance.now();
    this.deaths = [...this.deaths.filter((at) => now - at < DEATHS_WITHIN_MS), now];
    const end = { worker: worker.id, code, signal, deaths: this.deaths.length };
    if (this.deaths.length > MOST_DEATHS * this.config.workerCount) {
      this.log.fatal(end, 'Workers end again and again; the service exits.');
      this.stop('SIGTERM', 1);
      return;
    }
    this.log.error(end, served ? 'A worker ended and is replaced.' : 'A worker ended before it was ready.');
    if (served) void this.startSurely();
  }

  private exitIfAlone(): void {
    if (runningWorkers().length === 0) process.exit(this.exitCode);
  }
}

function runningWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter(
    (worker) => worker !== undefined && !worker.isDead(),
  ) as Worker[];
}
