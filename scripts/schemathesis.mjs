// `npm run schemathesis` tests the built service, on a fresh embedded database, against its own OpenAPI document, with a fixed
// seed. Python 3 with venv installs Schemathesis the first time; without it nothing is tested.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from './support/free-port.mjs';
import { giveUp, pythonProgram, root, run, say } from './support/programs.mjs';

const program = pythonProgram('schemathesis', '4.32.5');
if (!program) {
  say('Schemathesis is left out: Python 3 with venv is not there.');
  process.exit();
}
const folder = mkdtempSync(join(tmpdir(), 'schemathesis-'));
const port = String(await freePort());
const settings = { PORT: port, DATABASE_DIR: folder, RATE_LIMIT_PER_KEY: '0', RATE_LIMIT_FAILURES: '0' };
const env = { ...process.env, DATABASE_URL: '', ...settings };
const service = spawn(process.execPath, [join(root, 'dist/main.js')], { env, stdio: ['ignore', 'pipe', 'inherit'] });
const exited = once(service, 'exit');
/** The first start prints a key for development. */
const keyPrinted = new Promise((resolve) => {
  createInterface(service.stdout).on('line', (line) => {
    const [key] = /\bpets_test_\w+/.exec(line) ?? [];
    if (key) resolve(key);
  });
});
try {
  const key = await Promise.race([keyPrinted, exited]);
  if (typeof key !== 'string') giveUp('The service did not start. Build it first.');
  const origin = `http://127.0.0.1:${port}`;
  const options = ['--seed=1', '--max-examples=200', `--header=Authorization: Bearer ${key}`];
  process.exitCode = await run(program, ['run', `${origin}/openapi.json`, `--url=${origin}/v1`, ...options]);
} finally {
  service.kill();
  await exited;
  rmSync(folder, { recursive: true, force: true });
}
