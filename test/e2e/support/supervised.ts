import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../../scripts/support/free-port.mjs';
import { SHORT_LIVED } from '../../support/short-lived.js';
import { call } from './client.js';

interface Line extends Record<string, unknown> {
  readonly msg: string;
  readonly worker?: number;
}

/** The service as processes, and what they wrote. */
export class Supervised {
  out = '';
  err = '';
  readonly ended: Promise<number | null>;

  private constructor(
    private readonly child: ChildProcess,
    readonly origin: string,
    readonly metricsOrigin: string,
  ) {
    child.stdout?.on('data', (text: Buffer) => (this.out += text.toString()));
    child.stderr?.on('data', (text: Buffer) => {
      // This or another test may be the first that starts the service.
      this.err += text.toString().replace(/^(?:Waiting for another process|Building) .*\n/gm, '');
    });
    this.ended = once(child, 'close').then(([code]) => code as number | null);
  }

  /** Starts two workers on free ports. `settings` are environment variables. */
  static async launch(settings: NodeJS.ProcessEnv, execArgv: string[] = []): Promise<Supervised> {
    const ports = { PORT: `${await freePort()}`, METRICS_PORT: `${await freePort()}` };
    const own = { NODE_OPTIONS: '', WORKERS: '2', HOST: '127.0.0.1', LOG_FORMAT: 'json', LOG_LEVEL: 'info' };
    const env = { ...process.env, ...own, ...ports, ...settings };
    const child = spawn(process.execPath, [...SHORT_LIVED, ...execArgv, 'scripts/start.mjs'], { env });
    return new Supervised(child, `http://127.0.0.1:${env.PORT}`, `http://127.0.0.1:${env.METRICS_PORT}`);
  }

  get pid(): number {
    return this.child.pid!;
  }

  get lines(): Line[] {
    const whole = this.out.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'));
    return whole.map((line) => JSON.parse(line) as Line);
  }

  messages(text: string): Line[] {
    return this.lines.filter(({ msg }) => msg.includes(text));
  }

  /** The number of sockets that are open in the primary. */
  get sockets(): number {
    const folder = `/proc/${this.pid}/fd`;
    return readdirSync(folder).filter((name) => linkOf(join(folder, name)).startsWith('socket:')).length;
  }

  /** The ids of the processes that the primary has started. */
  get workers(): number[] {
    const text = readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8');
    return text.split(' ').filter(Boolean).map(Number);
  }

  async says(text: string, times = 1): Promise<void> {
    while (this.messages(text).length < times) {
      if (this.child.exitCode !== null) throw new Error(`It ended early:\n${this.out}${this.err}`);
      await pause(20);
    }
  }

  async ready(): Promise<this> {
    await this.says('The workers serve requests.');
    return this;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGKILL');
    await this.ended;
  }

  /** The sum of the samples whose line begins with this text. */
  async metric(begin: string): Promise<number> {
    const { text } = await call(this.metricsOrigin, 'GET', '/metrics');
    const samples = text.split('\n').filter((line) => line.startsWith(begin));
    return samples.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  }
}

/** Whether a process runs; one that ended, and that nobody has waited for, does not. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // it was closed just now
  }
}
