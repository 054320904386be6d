import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { install } from './prepare.mjs';
import { root } from './support/root.mjs';
import { endLike, runChild } from './support/run-child.mjs';
import { giveUp } from './support/say.mjs';
import { selectProjects } from './support/select-projects.mjs';

const { BASE_URL, API_KEY } = process.env;
if (BASE_URL && !API_KEY) {
  giveUp(
    `Set API_KEY to a key of ${BASE_URL}. To issue one where it runs: npm run keys -- issue --name tests --expires 1d`,
  );
}
if (BASE_URL && !(URL.canParse(BASE_URL) && /^https?:$/.test(new URL(BASE_URL).protocol))) {
  giveUp(`BASE_URL must be an address such as https://pets.example.com, not ${BASE_URL}`);
}

const { projects, others } = selectProjects(process.argv.slice(2));
if (BASE_URL) projects.splice(0, Infinity, 'e2e');
const asked = others.map(asFile);
refuseWhatMatchesNothing(asked);
if (BASE_URL) await refuseDeafDeployment();

await install();
const node = [
  '--experimental-vm-modules', // lets Jest run native ES modules
  '--disable-warning=ExperimentalWarning',
  '--liftoff-only', // optimising the WebAssembly of the embedded engine took half the time of a test
];
const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
const args = [...asked, ...(projects.length > 0 ? ['--selectProjects', ...projects] : [])];
endLike(await runChild(process.execPath, [...node, jest, ...args], { cwd: root, stdio: 'inherit' }));

/** Each operation has its own test file, named after it: `listPets` is in `list-pets`. */
function asFile(arg, i, all) {
  const isOperation = /^[a-z]+(?:[A-Z][a-z]+)+$/.test(arg) && !followsOption(i, all);
  return isOperation ? arg.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`) : arg;
}

/** Jest would only suggest --passWithNoTests. Skips the check for options other than -t, which may take values. */
function refuseWhatMatchesNothing(args) {
  if (args.some((arg) => arg.startsWith('-') && arg !== '-t')) return;
  const patterns = args.filter((arg, i, all) => arg !== '-t' && !followsOption(i, all));
  if (patterns.length === 0 || patterns.some(matchesTestFile)) return;
  giveUp(`No test file matches ${patterns.join(' or ')}. To list all files: npm test -- --listTests`);
}

function followsOption(i, all) {
  return all[i - 1]?.startsWith('-') ?? false;
}

function matchesTestFile(pattern) {
  let wanted;
  try {
    wanted = new RegExp(pattern, 'i');
  } catch {
    return true; // Jest reports the invalid pattern
  }
  return ['src', 'scripts', 'test/e2e'].some((folder) =>
    readdirSync(join(root, folder), { recursive: true }).some(
      (file) => /\.spec\.m?[jt]s$/.test(file) && wanted.test(join(root, folder, file)),
    ),
  );
}

/** Reports an unreachable deployment or a refused key once, instead of as hundreds of failures. */
async function refuseDeafDeployment() {
  const headers = { authorization: `Bearer ${API_KEY}` };
  const answer = await fetch(new URL('/v1/pets?limit=1', BASE_URL), {
    headers,
    signal: AbortSignal.timeout(10_000),
  }).catch((error) =>
    giveUp(
      `${BASE_URL} does not answer (${error.cause?.code ?? error.message}). Check that the service runs and that the address is right.`,
    ),
  );
  if (answer.status === 401) {
    const { message } = await answer.json().catch(() => ({}));
    giveUp(
      `${BASE_URL} refuses API_KEY: ${message} Issue one where it runs: npm run keys -- issue --name tests --expires 1d`,
    );
  }
}
