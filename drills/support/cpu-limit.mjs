import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { childrenOf } from './process-figures.mjs';

const PERIOD_US = 10_000;
const QUOTA_US = PERIOD_US / 2;

/**
 * Limits a process and its workers to half a core with a cgroup, so that the load generator and the database do not
 * compete with it on machines with few cores. Returns false where the kernel does not allow that.
 */
export function confineToHalfACore(drill, pid) {
  const name = `drill-${process.pid}`;
  try {
    const group = join(existsSync('/sys/fs/cgroup/cpu') ? '/sys/fs/cgroup/cpu' : '/sys/fs/cgroup', name);
    mkdirSync(group);
    drill.defer(() => remove(group));
    if (existsSync(join(group, 'cpu.cfs_quota_us'))) {
      writeFileSync(join(group, 'cpu.cfs_period_us'), String(PERIOD_US));
      writeFileSync(join(group, 'cpu.cfs_quota_us'), String(QUOTA_US));
    } else {
      writeFileSync(join(group, 'cpu.max'), `${QUOTA_US} ${PERIOD_US}`);
    }
    move([pid, ...childrenOf(pid)], group);
    return true;
  } catch (error) {
    drill.progress(`cannot limit the service to half a core: ${error.message}`);
    return false;
  }
}

const move = (pids, group) => {
  for (const pid of pids) writeFileSync(join(group, 'cgroup.procs'), String(pid));
};

/** The service still runs: the drill started it before. */
function remove(group) {
  move(readFileSync(join(group, 'cgroup.procs'), 'utf8').match(/\d+/g) ?? [], join(group, '..'));
  rmdirSync(group);
}
