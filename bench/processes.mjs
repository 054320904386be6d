import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** The application on a core of its own, PostgreSQL and the load on another. With one core there is nothing to part. */
export const CORES = { application: 0, others: 1 };
export const isPinned = availableParallelism() > 1;

export function onCore(core, command) {
  return isPinned ? ['taskset', '-c', String(core), ...command.map(String)] : command.map(String);
}

/** A process that runs already; those that it starts from now on stay with it. */
export function moveToCore(core, pid) {
  if (isPinned) execFileSync('taskset', ['-a', '-p', '-c', String(core), String(pid)], { stdio: 'ignore' });
}

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** The processor time that a process has taken, all its threads together, in milliseconds. */
export function cpuTime(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may have spaces; what follows it may not.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  return ((user + system) / ticksPerSecond) * 1000;
}

/** Memory in MB: what a process holds now, and the most it ever held. */
export function memory(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)[1]) / 1024;
  return { now: megabytes('VmRSS'), peak: megabytes('VmHWM') };
}
