// `npm run schemathesis` tests the built service, on a fresh embedded database, against its own OpenAPI document, with a fixed
// seed. Python 3 with venv installs Schemathesis the first time; without it nothing is tested.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './support/free-port.mjs';
import { giveUp, pythonProgram, root, run } from './support/programs.mjs';

const program =
  pythonProgram('schemathesis', '4.32.5') ?? giveUp('Schemathesis is left out: Python 3 with venv is not there.', 0);
const folder = mkdtempSync(join(tmpdir(), 'schemathesis-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const port = String(await freePort());
const settings = { PORT: port, DATABASE_DIR: folder, RATE_LIMIT_PER_KEY: '0', RATE_LIMIT_FAILURES: '0' };
const env = { ...process.env, DATABASE_URL: '', ...settings };
const [service, keys] = [join(root, 'dist/main.js'), join(root, 'dist/auth/keys.cli.js')];
const issue = [keys, 'issue', '--name', 'schemathesis', '--quiet'];
const key = execFileSync(process.execPath, issue, { env, encoding: 'utf8' }).trim();
const child = spawn(process.execPath, [service], { env, stdio: ['ignore', 'ignore', 'inherit'] });
const exited = once(child, 'exit');
const origin = `http://127.0.0.1:${port}`;
const options = ['--wait-for-schema=60', '--seed=1', '--max-examples=200', `--header=Authorization: Bearer ${key}`];
process.exitCode = await run(program, ['run', `${origin}/openapi.json`, `--url=${origin}/v1`, ...options]);
child.kill();
await exited;
