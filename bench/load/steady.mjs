import { join } from 'node:path';
import { runChild } from '../../scripts/support/run-child.mjs';
import { onCore, CORES } from '../processes.mjs';

/**
 * The same number of requests each second for everybody. A request's time runs from when it was due, also while it
 * waits for a connection, so that a contestant that stalls cannot hide it. Its limits: the generator is a Node process
 * that shares a core with PostgreSQL, and sends what is due once a millisecond; the same for all, so compare and do
 * not take the milliseconds for more than that.
 */
export async function steadyLoad(options) {
  const program = [process.execPath, join(import.meta.dirname, 'steady-sender.mjs'), JSON.stringify(options)];
  const [command, ...args] = onCore(CORES.others, program);
  const { code, output } = await runChild(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  if (code !== 0) throw new Error(`The steady load ended with ${code}.`);
  return JSON.parse(output);
}
