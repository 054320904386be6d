import { readdirSync, readFileSync } from 'node:fs';

/** What the system knows of a process; only Linux tells, elsewhere it is 0. */

export const residentMiB = (pid) =>
  orZero(() =>
    Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024),
  );

export const openFiles = (pid) => orZero(() => readdirSync(`/proc/${pid}/fd`).length);

/** How much memory a process has now, and what the most of it was. */
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
