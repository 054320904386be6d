import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** Stops the database server of the tests and removes its folder. */
export default async function removeServer() {
  const folder = process.env.TEST_SERVER_FOLDER;
  const pidFile = join(folder, 'postgres', 'postmaster.pid');
  for (let pid; (pid = await pidIn(pidFile)); await pause(20)) signal(pid);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function pidIn(file) {
  return Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10) || undefined;
}

function signal(pid) {
  try {
    process.kill(pid, 'SIGINT');
  } catch {
    // It has just ended.
  }
}
