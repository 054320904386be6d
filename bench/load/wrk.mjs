import { join } from 'node:path';
import { runChild } from '../../scripts/support/run-child.mjs';
import { onCore, CORES } from '../processes.mjs';

export const CONNECTIONS = 32;

const script = join(import.meta.dirname, 'requests.lua');
let seed = 1;

/** Measures the peak in a closed loop: each connection sends its next request after the answer to the last. */
export async function fullLoad({ origin, key, rows, workload, seconds, connections = CONNECTIONS }) {
  const wrk = [
    'wrk',
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--latency',
    '--timeout',
    '10s',
    '-s',
    script,
  ];
  const [command, ...args] = onCore(CORES.others, [...wrk, origin, '--', workload, key, rows, seed++]);
  const { code, output } = await runChild(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [, json] = /^RESULT (.*)$/m.exec(output) ?? [];
  if (code !== 0 || !json) throw new Error(`wrk failed with ${code}:\n${output}`);
  const { requests, microseconds, p50, p99, refused, broken } = JSON.parse(json);
  if (refused + broken > 0 || requests === 0) {
    throw new Error(
      `${workload}: ${refused} of ${requests} answers were not 2xx, and ${broken} connections failed.`,
    );
  }
  return { requests, perSecond: requests / (microseconds / 1e6), p50: p50 / 1000, p99: p99 / 1000 };
}
