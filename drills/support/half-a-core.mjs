import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PERIOD_US = 10_000;
const QUOTA_US = PERIOD_US / 2;

/**
 * Confines a process to half a core, where the kernel lets us: on a machine with few of them, what sends the load and
 * what the process asks would otherwise take from it what is to be measured. Says whether it could.
 */
export function confineToHalfACore(drill, pid) {
  const name = `drill-${process.pid}`;
  try {
    const group = join(existsSync('/sys/fs/cgroup/cpu') ? '/sys/fs/cgroup/cpu' : '/sys/fs/cgroup', name);
    mkdirSync(group);
    drill.defer(() => rmdirSync(group));
    if (existsSync(join(group, 'cpu.cfs_quota_us'))) {
      writeFileSync(join(group, 'cpu.cfs_period_us'), String(PERIOD_US));
      writeFileSync(join(group, 'cpu.cfs_quota_us'), String(QUOTA_US));
    } else {
      writeFileSync(join(group, 'cpu.max'), `${QUOTA_US} ${PERIOD_US}`);
    }
    writeFileSync(join(group, 'cgroup.procs'), String(pid));
    return true;
  } catch (error) {
    drill.progress(`the service cannot be confined to half a core: ${error.message}`);
    return false;
  }
}
