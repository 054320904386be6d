import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import type { Config } from '../common/config/config.js';
import { LIMITS } from '../edge/limits.js';
import { serveMetrics } from '../edge/serve-metrics.js';
import { createLogger } from '../observability/logger.js';
import { Permits } from '../rate-limit/permits.js';
import { CLOSE_MS, exitOnCrash, ignoreUserSignals, onStopSignal, STOP_SIGNALS } from '../signals.js';
import { Crew } from './crew.js';
import { sendTo, type ToPrimary } from './messages.js';
import { closeUntaken, limitWaitingConnections } from './waiting-connections.js';
import { WorkerMetrics } from './worker-metrics.js';

/** More deaths than this of each worker within the time are a crash loop. */
const MOST_DEATHS = 3;
const DEATHS_WITHIN_MS = 60_000;
/** After the time that a worker has, it is killed. */
const KILL_MS = 500;
const RENEWED = 'The workers are renewed.';

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
  private readonly crew: Crew<Worker>;
  /** What the log says once the crew is complete. */
  private readonly news = new Set<string>();
  private deaths: number[] = [];
  private stopSignal: NodeJS.Signals | undefined;
  private exitCode = 0;

  constructor(
    private readonly config: Config,
    private readonly log: Logger,
  ) {
    this.permits = new Permits(config.workerCount);
    this.crew = new Crew(config.workerCount);
  }

  start(): void {
    this.news.add('The workers serve requests.');
    this.adjust();
  }

  metrics(): Promise<string> {
    return this.collected.collect([...this.crew.serving]);
  }

  /** Replaces the workers one after another, each by one that is ready. */
  renew(): void {
    this.news.add(RENEWED);
    this.crew.renew();
    this.adjust();
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

  /** Called after every change. */
  private adjust(): void {
    if (this.isStopping) return;
    while (this.crew.isShort) this.startWorker();
    const leaving = this.crew.retireOne();
    if (leaving) this.retire(leaving);
    if (!this.crew.isComplete) return;
    for (const text of this.news) this.log.info({ workers: this.crew.serving.size }, text);
    this.news.clear();
  }

  private startWorker(): void {
    const worker = cluster.fork();
    this.crew.noteStart(worker);
    closeUntaken(worker);
    worker.on('error', () => {}); // a message to a worker that is ending
    worker.on('message', (message: ToPrimary) => this.receive(worker, message));
    worker.once('exit', (code: number | null, signal: string | null) => this.noteEnd(worker, code, signal));
  }

  private receive(worker: Worker, message: ToPrimary): void {
    if (message.type === 'started') {
      this.crew.noteReady(worker);
      this.adjust();
    } else if (message.type === 'collected') this.collected.receive(worker, message.metrics);
    else if (message.type === 'reachable') {
      if (this.stopSignal) sendTo(worker, { type: 'stop', signal: this.stopSignal });
      else if (this.crew.isRetired(worker)) sendTo(worker, { type: 'retire' });
    } else sendTo(worker, { type: 'grant', id: message.id, grant: this.permits.grant(message.request) });
  }

  private retire(worker: Worker): void {
    const killing = setTimeout(() => worker.process.kill('SIGKILL'), this.endMs);
    worker.once('exit', () => clearTimeout(killing));
    sendTo(worker, { type: 'retire' });
  }

  private noteEnd(worker: Worker, code: number | null, signal: string | null): void {
    const activity = this.crew.noteEnd(worker);
    this.collected.forget(worker);
    if (this.isStopping) {
      if (code !== 0) this.exitCode = 1;
      this.exitIfAlone();
      return;
    }
    if (!this.crew.hasStarted) {
      const end = { worker: worker.id, signal };
      if (signal) this.log.fatal(end, 'A worker was killed as it started; the service exits.');
      process.exit(code ?? 1); // a worker that exits has said why
    }
    if (activity !== 'retired') this.noteDeath(activity, { worker: worker.id, code, signal });
    this.adjust();
  }

  private noteDeath(activity: 'starting' | 'serving', end: object): void {
    const now = performance.now();
    this.deaths = [...this.deaths.filter((at) => now - at < DEATHS_WITHIN_MS), now];
    const details = { ...end, deaths: this.deaths.length };
    if (this.deaths.length > MOST_DEATHS * this.config.workerCount) {
      this.log.fatal(details, 'Workers end again and again; the service exits.');
      this.stop('SIGTERM', 1);
    } else if (activity === 'serving') this.log.error(details, 'A worker ended and is replaced.');
    else {
      this.log.error(details, 'A worker ended before it was ready.');
      if (!this.crew.giveUpRenewal()) return;
      this.news.delete(RENEWED);
      this.log.error('A new worker did not start; the present ones go on.');
    }
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
