import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/**
 * A process that sends load: with `perSecond` at that rate whatever becomes of it, without it as fast as the answers
 * come on that many connections. Resolves to what became of it.
 */
export function startLoadProcess(drill) {
  const child = fork(join(import.meta.dirname, 'load-process.mjs'));
  drill.defer(() => child.kill('SIGKILL'));
  return async (load) => {
    child.send(load);
    const ended = once(child, 'exit').then(() => {
      throw new Error('The process that sends the load has ended.');
    });
    const [summary] = await Promise.race([once(child, 'message'), ended]);
    return summary;
  };
}
