import { readdirSync, readFileSync } from 'node:fs';

// These figures come from /proc, so they are 0 on systems other than Linux.

/** Of a process and its workers. */
export const residentMiB = (pid) =>
  [pid, ...childrenOf(pid)].reduce((sum, each) => sum + residentMiBOf(each), 0);

export const childrenOf = (pid) =>
  orZero(() => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g)) || [];

const residentMiBOf = (pid) =>
  orZero(() =>
    Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024),
  );

export const openFiles = (pid) => orZero(() => readdirSync(`/proc/${pid}/fd`).length);

/** Samples the resident memory of a process: the first value and the maximum. */
export function watchMemory(drill, pid) {
  const first = residentMiB(pid);
  let most = first;
  const timer = setInterval(() => (most = Math.max(most, residentMiB(pid))), 250);
  drill.defer(() => clearInterval(timer));
  return { first, most: () => most };
}

function orZero(read) {
  try {
    return read();
  } catch {
    return 0;
  }
}
