// `npm run schemathesis` tests the built service, on a fresh embedded database, against its own OpenAPI document, with a fixed
// seed and for about a minute. Python 3 with venv installs Schemathesis the first time; without it nothing is tested.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './support/free-port.mjs';
import { giveUp, pythonProgram, root, run, say } from './support/programs.mjs';

const program = pythonProgram('schemathesis', '4.32.5');
if (!program) {
  say('Schemathesis is left out: Python 3 with venv is not there.');
  process.exit();
}
const folder = mkdtempSync(join(tmpdir(), 'schemathesis-'));
const port = String(await freePort());
const env = { ...process.env, PORT: port, DATABASE_DIR: folder, RATE_LIMIT_PER_KEY: '0', RATE_LIMIT_FAILURES: '0' };
delete env.DATABASE_URL;
const service = spawn(process.execPath, [join(root, 'dist/main.js')], { env, stdio: ['ignore', 'ignore', 'inherit'] });
try {
  const origin = `http://127.0.0.1:${port}`;
  const isReady = () => fetch(`${origin}/health/ready`).then(({ ok }) => ok, () => false); // prettier-ignore
  for (const end = Date.now() + 60_000; !(await isReady()); await pause(100))
    if (service.exitCode !== null || Date.now() > end) giveUp('The service did not start. Build it first.');
  const issue = [join(root, 'dist/auth/keys.cli.js'), 'issue', '--name', 'schemathesis', '--quiet'];
  const { stdout } = spawnSync(process.execPath, issue, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 2] });
  if (!stdout) giveUp('The service issued no key.');
  const options = ['--seed=1', '--max-examples=50', '--workers=2', `--header=Authorization: Bearer ${stdout.trim()}`];
  process.exitCode = await run(program, ['run', `${origin}/openapi.json`, `--url=${origin}/v1`, ...options]);
} finally {
  service.kill();
  await pause(1_000);
  rmSync(folder, { recursive: true, force: true });
}
