import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { createClient } from '@redis/client';
import { freePort } from './free-port.js';

/** A Redis that keeps nothing, and a client of it. */
export async function startRedis() {
  const port = await freePort();
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'], cwd: tmpdir() });
  const ended = once(child, 'exit');
  for await (const line of createInterface(child.stdout)) if (line.includes('Ready to accept')) break;
  const url = `redis://127.0.0.1:${port}`;
  const client = await createClient({ url }).connect();
  const signal = (name: NodeJS.Signals) => child.kill(name);
  const stop = async (): Promise<void> => {
    client.destroy();
    signal('SIGKILL'); // also a frozen one
    await ended;
  };
  return { url, client, signal, stop };
}
