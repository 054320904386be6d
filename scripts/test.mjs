import { join } from 'node:path';
import { install } from './prepare.mjs';
import { root } from './support/root.mjs';
import { endLike, runChild } from './support/run-child.mjs';
import { giveUp } from './support/say.mjs';

const { BASE_URL, API_KEY } = process.env;
if (BASE_URL && !API_KEY) {
  giveUp(
    `Set API_KEY to a key of ${BASE_URL}; where it runs: npm run keys -- issue --name tests --expires 1d`,
  );
}
if (BASE_URL && !(URL.canParse(BASE_URL) && /^https?:$/.test(new URL(BASE_URL).protocol))) {
  giveUp(`BASE_URL must be an address such as https://pets.example.com, not ${BASE_URL}`);
}

await install();
const node = [
  '--experimental-vm-modules', // what Jest needs to run ES modules as they are
  '--disable-warning=ExperimentalWarning',
  '--liftoff-only', // half of a test's time went into making the embedded engine fast for a life that it does not have
];
const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
const args = [...process.argv.slice(2).map(asFile), ...(BASE_URL ? ['--selectProjects', 'e2e'] : [])];
endLike(await runChild(process.execPath, [...node, jest, ...args], { cwd: root, stdio: 'inherit' }));

/** An operation has a file of its own, which is named after it: `listPets` is in `list-pets`. */
function asFile(arg, i, all) {
  const isOperation = /^[a-z]+(?:[A-Z][a-z]+)+$/.test(arg) && !all[i - 1]?.startsWith('-');
  return isOperation ? arg.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`) : arg;
}
