import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Starts the built service on a new embedded database, which prints its address and a key, until all tests are over. */
export default async function startService(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-ui-'));
  const { PATH, HOME } = process.env;
  const dist = join(import.meta.dirname, '../../../dist');
  const urls = { PRODUCTION_URL: 'https://api.example.com/v1', STAGING_URL: 'https://staging.example.com/v1' };
  const child = spawn(process.execPath, [join(dist, 'main.js')], {
    cwd: folder,
    env: { PATH, HOME, PORT: '0', LOG_LEVEL: 'warn', ...urls },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let printed = '';
  for await (const line of createInterface(child.stdout)) {
    printed += `${line}\n`;
    const [, origin] = /listens at (\S+)\/v1/.exec(printed) ?? [];
    const [key] = /pets_test_\w+/.exec(printed) ?? [];
    Object.assign(process.env, { UI_ORIGIN: origin, UI_KEY: key });
    if (origin && key) break;
  }
  if (child.exitCode !== null) throw new Error(`The service has ended. Try it alone: npm start\n${printed}`);
  child.stdout.resume();
  const issue = [join(dist, 'auth/keys.cli.js'), 'issue', '--name', 'dashboards', '--read-only', '--quiet'];
  const options = { cwd: folder, env: { PATH, HOME }, encoding: 'utf8' } as const;
  process.env['UI_READ_ONLY_KEY'] = execFileSync(process.execPath, issue, options).trim();
  return async () => {
    child.kill('SIGTERM');
    await exited;
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  };
}
