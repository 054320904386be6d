// `npm run schemathesis` tests the built service, on a fresh embedded database, against its own OpenAPI document, with a fixed
// seed. Python 3 with venv installs Schemathesis the first time; without it nothing is tested.
import { giveUp, pythonProgram, run } from './support/programs.mjs';
import { startService } from './support/service.mjs';

const program =
  pythonProgram('schemathesis', '4.32.5') ?? giveUp('Schemathesis is left out: Python 3 with venv is not there.', 0);
const { origin, key, stop } = await startService();
const options = ['--seed=1', '--max-examples=200', `--header=Authorization: Bearer ${key}`];
process.exitCode = await run(program, ['run', `${origin}/openapi.json`, `--url=${origin}/v1`, ...options]);
await stop();
