import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const CONNECTIONS = 32;
/** PostgreSQL and the load share the other one. */
const CORES = { application: 0, others: 1 };

export const pinned = (core, command) => ['taskset', '-c', String(CORES[core]), ...command.map(String)];

/** Moves a running PostgreSQL; its later processes inherit the core. */
export function moveServer({ data }) {
  const [postmaster] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1);
  const children = execFileSync('pgrep', ['-P', postmaster], { encoding: 'utf8' }).trim().split('\n');
  for (const pid of [postmaster, ...children])
    execFileSync('taskset', ['-a', '-p', '-c', String(CORES.others), pid], { stdio: 'ignore' });
}

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Of a process with all its threads, in microseconds. */
function processorTime(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1e6;
}

/** Resident, in MiB. */
export function memory(pid) {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024;
}

let seed = 1;

/** Keeps all connections busy: each sends its next request after the answer to the last. */
export async function load({ origin, pid }, { key, rows }, workload, seconds) {
  const script = join(import.meta.dirname, 'requests.lua');
  const wrk = ['wrk', '-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '--timeout=10s', '-s', script, origin];
  const [program, ...args] = pinned('others', [...wrk, '--', workload, key, rows, `${process.pid}${seed++}`]);
  const before = processorTime(pid);
  const output = await text(spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] }).stdout);
  const spent = processorTime(pid) - before;
  const { requests, microseconds, p99, refused, broken } = JSON.parse(/^RESULT (.*)$/m.exec(output)?.[1] ?? '{}');
  if (!requests) throw new Error(`wrk has no result:\n${output}`);
  return {
    requests,
    failed: refused + broken,
    rate: (requests / microseconds) * 1e6,
    p99: p99 / 1000,
    cpu: spent / requests,
  };
}
