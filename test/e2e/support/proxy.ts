import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { describe } from '@jest/globals';
import { freePort } from '../../../scripts/support/free-port.mjs';
import { describeInside, NeedsTheInside } from './deployment.js';
import { NOWHERE } from './scripted-server.js';

export const CONFIGURATION = 'docker/haproxy.cfg';
const ONE_THREAD = 'test/e2e/support/one-thread.cfg';
const PATIENCE_MS = 10_000;

const version = installedVersion();

/** Tests that need HAProxy; skipped where it is not installed. */
export const describeProxy = version > 0 ? describeInside : describe.skip;

export interface Proxy {
  readonly origin: string;
  /** Where its status and metrics are. */
  readonly status: string;
  /** Resolves to the lines of its log once one of them contains this text. */
  logged(text: string): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/**
 * HAProxy as it is shipped, but for its threads, in front of one replica; without one, in front of none. `settings` are its
 * variables.
 */
export async function startProxy(replica?: string, settings: Record<string, string> = {}): Promise<Proxy> {
  const [http, status] = [await freePort(), await freePort()];
  const env = {
    ...process.env,
    ...settings,
    HAPROXY_HTTP: `127.0.0.1:${http}`,
    HAPROXY_STATUS: `127.0.0.1:${status}`,
    REPLICA_1: replica ? new URL(replica).host : NOWHERE,
    REPLICA_2: NOWHERE,
  };
  const args = ['-db', '-f', ONE_THREAD, '-f', CONFIGURATION];
  const child = spawn('haproxy', args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const lines: string[] = [];
  createInterface(child.stdout).on('line', (line) => lines.push(line));
  const logged = async (text: string): Promise<readonly string[]> => {
    for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await delay(5)) {
      if (lines.some((line) => line.includes(text))) return lines;
    }
    throw new Error(`HAProxy does not log ${text}.`);
  };
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  try {
    await seen(child, `http://127.0.0.1:${status}/status;csv`, replica ? 'UP' : 'DOWN');
  } catch (error) {
    await stop();
    throw error;
  }
  return { origin: `http://127.0.0.1:${http}`, status: `http://127.0.0.1:${status}`, logged, stop };
}

/** Resolves when HAProxy has checked the replicas. */
async function seen(child: ChildProcess, url: string, state: string): Promise<void> {
  let last = 'it does not answer';
  for (const end = performance.now() + PATIENCE_MS; performance.now() < end; await delay(50)) {
    if (child.exitCode !== null) throw new Error(`HAProxy ended with ${child.exitCode}.`);
    try {
      const answer = await fetch(url, {
        headers: { connection: 'close' },
        signal: AbortSignal.timeout(1_000),
      });
      const replicas = parseStatus(await answer.text());
      // Until the second one, which is nowhere, is found to be down, it gets requests too.
      if (replicas['replica-1']?.status === state && replicas['replica-2']?.status === 'DOWN') return;
      last = JSON.stringify(replicas);
    } catch (error) {
      last = inspect(error);
    }
  }
  throw new Error(`HAProxy does not take the replica for ${state}: ${last}`);
}

interface ReplicaStatus {
  readonly status: string | undefined;
  readonly check: string | undefined;
}

/** By the name of the replica. The first line has the names of the columns. */
function parseStatus(table: string): Partial<Record<string, ReplicaStatus>> {
  const [names = [], ...rows] = table.split('\n').map((line) => line.split(','));
  const column = (row: string[], name: string): string | undefined => row[names.indexOf(name)];
  return Object.fromEntries(
    rows
      .filter(([, server]) => server?.startsWith('replica-'))
      .map((row) => [row[1], { status: column(row, 'status'), check: column(row, 'last_chk') }]),
  );
}

/**
 * A replica that is ready, and answers only `/v1/accepted` and `/v1/missing`, as if for a valid key, and `/v1/refused`, for
 * another one. It drops requests for `/v1/dropped`, and holds all others.
 */
export async function startMuteReplica(): Promise<{
  origin: string;
  /** Resolves when it holds so many requests. */
  holds(requests: number): Promise<void>;
  stop(): Promise<void>;
}> {
  let held = 0;
  const server: Server = createServer((request, response) => {
    if (request.url === '/health/ready') response.end();
    if (request.url === '/v1/accepted') response.end();
    if (request.url === '/v1/missing') response.writeHead(404, { ratelimit: '"requests";r=1;t=1' }).end();
    if (request.url === '/v1/refused') response.writeHead(401).end();
    if (request.url === '/v1/dropped') request.socket.destroy();
    if (request.url === '/v1/held') held++;
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const holds = async (requests: number): Promise<void> => {
    while (held < requests) await delay(5);
  };
  const stop = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
  };
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, holds, stop };
}

/** Skips the test where HAProxy is older. */
export function requireHaproxy(wanted: number): void {
  if (version < wanted) throw new NeedsTheInside(`needs HAProxy ${wanted}`);
}

function installedVersion(): number {
  const { stdout } = spawnSync('haproxy', ['-v'], { encoding: 'utf8' });
  return Number(/version (\d+\.\d+)/.exec(stdout ?? '')?.[1] ?? 0);
}
