// Runs Jest, once all is installed and built: `npm test -- pets` runs one file.
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { giveUp, root, run } from './support/programs.mjs';

const { BASE_URL, API_KEY } = process.env;
if (BASE_URL && !API_KEY)
  giveUp(`Set API_KEY to a key of ${BASE_URL}. Where it runs: npm run keys -- issue --name tests --expires 1d`);

prepare(); // tests start its programs
const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning']; // Jest on ES modules
const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
process.exitCode = await run(process.execPath, [...flags, jest, ...process.argv.slice(2)]);
