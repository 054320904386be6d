import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/**
 * Starts a load generator in its own process. With `perSecond` it is an open loop at that rate, without it a closed loop
 * on that many connections. The returned function resolves to a summary of the outcomes.
 */
export function startLoadProcess(drill) {
  const child = fork(join(import.meta.dirname, 'load-process.mjs'));
  drill.defer(() => child.kill('SIGKILL'));
  return async (load) => {
    child.send(load);
    const ended = once(child, 'exit').then(() => {
      throw new Error('The load generator exited. See its error above.');
    });
    const [summary] = await Promise.race([once(child, 'message'), ended]);
    return summary;
  };
}
