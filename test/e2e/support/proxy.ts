import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { freePort } from './free-port.js';
import { until } from './until.js';

const CONFIGURATION = join(import.meta.dirname, '../../../docker/haproxy.cfg');
const NOWHERE = '127.0.0.1:1';

const { stdout } = spawnSync('haproxy', ['-v'], { encoding: 'utf8' });
/** 0 where it is not installed. */
export const haproxyVersion = Number(/version (\d+\.\d+)/.exec(stdout ?? '')?.[1] ?? 0);

/** All of them. One that a failed test did not stop would keep Jest from ending. */
const processes: ChildProcess[] = [];
afterAll(() => {
  for (const each of processes) each.kill('SIGKILL');
});

export interface Proxy {
  readonly origin: string;
  /** Resolves when it has logged this. */
  logs(pattern: RegExp): Promise<void>;
  stop(): Promise<void>;
}

/** HAProxy as it is shipped, in front of one replica; without one, in front of none. `settings` are its variables. */
export async function startProxy(replica?: string, settings: Record<string, string> = {}): Promise<Proxy> {
  const [http, status] = [await freePort(), await freePort()];
  const env = {
    PATH: process.env['PATH'],
    HAPROXY_HTTP: `127.0.0.1:${http}`,
    HAPROXY_STATUS: `127.0.0.1:${status}`,
    REPLICA_1: replica ? new URL(replica).host : NOWHERE,
    REPLICA_2: NOWHERE,
    ...settings,
  };
  const child = spawn('haproxy', ['-db', '-f', CONFIGURATION], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  processes.push(child);
  let out = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (out += String(text)));
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
  };
  const state = replica ? 'UP' : 'DOWN';
  // Until the second one is found to be down, it gets requests, too.
  const wanted = new RegExp(`animal_store,replica-1 ${state}\nanimal_store,replica-2 DOWN`);
  await until(async () => {
    if (child.exitCode !== null) throw new Error(`HAProxy has ended:\n${out}`);
    return wanted.test(await table(`http://127.0.0.1:${status}/status;csv`));
  });
  const logs = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(out)) await once(child.stdout, 'data');
  };
  return { origin: `http://127.0.0.1:${http}`, logs, stop };
}

/** A line for each server: `animal_store,replica-1 UP`. */
async function table(url: string): Promise<string> {
  const headers = { connection: 'close' };
  const text = await fetch(url, { headers }).then(
    (answer) => answer.text(),
    () => '',
  );
  const [names = [], ...rows] = text.split('\n').map((line) => line.split(','));
  const column = names.indexOf('status');
  return rows.map((row) => `${row[0]},${row[1]} ${row[column]}`).join('\n');
}
