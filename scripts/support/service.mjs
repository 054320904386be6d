import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { giveUp, root } from './programs.mjs';

/** Starts the built service, without limits, on a new embedded database. Then it prints its address and a key. */
export async function startService() {
  const cwd = mkdtempSync(join(tmpdir(), 'animal-store-'));
  const settings = {
    DATABASE_URL: '',
    PORT: '0',
    LOG_LEVEL: 'warn',
    RATE_LIMIT_PER_KEY: '0',
    RATE_LIMIT_FAILURES: '0',
  };
  const options = { cwd, env: { ...process.env, ...settings }, stdio: ['ignore', 'pipe', 'inherit'] };
  const child = spawn(process.execPath, [join(root, 'dist/main.js')], options);
  const exited = once(child, 'exit');
  async function stop() {
    child.kill();
    await exited;
    rmSync(cwd, { recursive: true, force: true });
  }
  let printed = '';
  for await (const line of createInterface(child.stdout)) {
    printed += `${line}\n`;
    const [, origin] = /listens at (\S+)\/v1/.exec(printed) ?? [];
    const [key] = /pets_test_\w+/.exec(printed) ?? [];
    if (!origin || !key) continue;
    child.stdout.resume();
    return { origin, key, stop };
  }
  return giveUp(`The service has ended. Try it alone: npm start\n${printed}`);
}
