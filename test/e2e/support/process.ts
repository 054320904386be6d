import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateKey, hashKey } from '../../../src/auth/key-format.js';
import type { TestDatabase } from '../../support/database.js';

const DIST = join(import.meta.dirname, '../../../dist');

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Launched {
  readonly pid: number;
  readonly ended: Promise<Ended>;
  /** Resolves to what it printed so far, once that matches. Rejects if it ends before. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  signal(name: NodeJS.Signals): void;
}

/** Programs of the build, run as users run them, in a folder of their own and with only the settings that are given. */
export class Programs {
  readonly folder = mkdtempSync(join(tmpdir(), 'animal-store-programs-'));
  private readonly running = new Map<Launched, Promise<Ended>>();

  constructor(private readonly settings: NodeJS.ProcessEnv = {}) {}

  /** `stdout` is where its output goes, if not to the test. */
  launch(program: string, args: string[] = [], settings: NodeJS.ProcessEnv = {}, stdout?: number): Launched {
    const { PATH, HOME } = process.env;
    const own = { PATH, HOME, HOST: '127.0.0.1', PORT: '0', LOG_FORMAT: 'json' };
    const env = { ...own, ...this.settings, ...settings };
    const child = spawn(process.execPath, [join(DIST, program), ...args], {
      cwd: this.folder,
      env,
      stdio: ['ignore', stdout ?? 'pipe', 'pipe'],
    });
    let out = '';
    let err = '';
    child.stdout?.on('data', (text: Buffer) => (out += text.toString()));
    child.stderr?.on('data', (text: Buffer) => (err += text.toString()));
    const ended = once(child, 'close').then(([code]) => {
      this.running.delete(launched);
      return { code: code as number | null, out, err };
    });
    const says = (pattern: RegExp): Promise<RegExpExecArray> =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = pattern.exec(out + err);
          if (found) resolve(found);
        };
        for (const stream of [child.stdout, child.stderr]) stream?.on('data', look);
        void ended.then(() => reject(new Error(`It ended without ${pattern}:\n${out}${err}`)));
        look();
      });
    const launched = { pid: child.pid!, ended, says, signal: (name: NodeJS.Signals) => void child.kill(name) };
    this.running.set(launched, ended);
    return launched;
  }

  run(program: string, args: string[] = [], settings: NodeJS.ProcessEnv = {}): Promise<Ended> {
    return this.launch(program, args, settings).ended;
  }

  /** Starts the service, and resolves when it listens. */
  async serve(settings: NodeJS.ProcessEnv = {}): Promise<Launched & { origin: string }> {
    const service = this.launch('main.js', [], settings);
    const [, origin = ''] = await service.says(/listens at (http:\/\/[\d.]+:\d+)/);
    return { ...service, origin };
  }

  /** Ends what still runs. */
  async stop(): Promise<void> {
    for (const launched of this.running.keys()) launched.signal('SIGKILL');
    await Promise.all(this.running.values());
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Adds a key to a database in which the service has made its tables: the command would take a second of the processor. */
export async function addKey(database: TestDatabase): Promise<string> {
  const key = generateKey('test');
  const values = `'tests', $1, '', now(), now() + interval '1 day'`;
  const insert = `INSERT INTO api_keys (name, hash, hint, created_at, expires_at) VALUES (${values})`;
  await database.query(insert, [Buffer.from(hashKey(key), 'base64')]);
  return key;
}
