import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** The application has one core; PostgreSQL and the load generator share another. Nothing is pinned on a single core. */
export const CORES = { application: 0, others: 1 };
export const isPinned = availableParallelism() > 1;

export function onCore(core, command) {
  return isPinned ? ['taskset', '-c', String(core), ...command.map(String)] : command.map(String);
}

/** Pins a running process; children that it starts later inherit the core. */
export function moveToCore(core, pid) {
  if (isPinned) execFileSync('taskset', ['-a', '-p', '-c', String(core), String(pid)], { stdio: 'ignore' });
}

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** The CPU time of a process and all its threads, in milliseconds. */
export function cpuTime(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The process name, in parentheses, may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  return ((user + system) / ticksPerSecond) * 1000;
}

/** Resident memory in MB: the current and the peak value. */
export function memory(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)[1]) / 1024;
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') };
}
