import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const START_MS = 60_000;

/**
 * Starts the built service on a new embedded database, which makes it print its address and a key. Playwright runs this
 * before all tests, and the returned function after them.
 */
export default async function startService(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-ui-'));
  const { DATABASE_URL: _, ...environment } = process.env;
  const child = spawn(process.execPath, ['dist/main.js'], {
    cwd: join(import.meta.dirname, '..', '..', '..'),
    env: {
      ...environment,
      HOST: '127.0.0.1',
      PORT: '0',
      DATABASE_DIR: join(folder, 'database'),
      LOG_LEVEL: 'warn',
      PRODUCTION_URL: 'https://api.example.com/v1',
      STAGING_URL: 'https://staging.example.com/v1',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const stop = async (): Promise<void> => {
    if (child.exitCode === null) child.kill('SIGTERM');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  const tooLate = setTimeout(() => child.kill(), START_MS);
  let origin: string | undefined;
  let key: string | undefined;
  for await (const line of createInterface(child.stdout)) {
    origin ??= /listens at (\S+)\/v1/.exec(line)?.[1];
    key ??= /pets_test_[\w-]+/.exec(line)?.[0];
    if (origin && key) break;
  }
  clearTimeout(tooLate);
  child.stdout.resume();
  if (!origin || !key) {
    await stop();
    throw new Error(
      'The service exited or took more than a minute to print its address and a key. Try it alone: npm start',
    );
  }
  Object.assign(process.env, { UI_ORIGIN: origin, UI_KEY: key });
  return stop;
}
