import { join } from 'node:path';
import { runChild } from '../../scripts/support/run-child.mjs';
import { onCore, CORES } from '../processes.mjs';

/**
 * Sends the same number of requests per second to every contestant. Latency counts from when a request was due, including
 * the wait for a connection, which avoids coordinated omission. The generator shares a core with PostgreSQL and has a
 * resolution of a millisecond, so compare the results rather than trust the absolute values.
 */
export async function steadyLoad(options) {
  const result = await observedLoad(options);
  if (result.failed > 0) throw new Error(`${options.workload}: some requests failed: ${result.failures}.`);
  return result;
}

/** The same where requests may fail: the result counts them. */
export async function observedLoad(options) {
  const program = [process.execPath, join(import.meta.dirname, 'steady-sender.mjs'), JSON.stringify(options)];
  const [command, ...args] = onCore(CORES.others, program);
  const { code, output } = await runChild(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  if (code !== 0) throw new Error(`The load generator exited with ${code}. See its error above.`);
  const result = JSON.parse(output);
  if (result.failed === result.sent)
    throw new Error(`${options.workload}: all requests failed: ${result.failures}.`);
  return result;
}
