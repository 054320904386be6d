// Runs a command on a throw-away Citus cluster of a coordinator and two workers:
// `npm run with-citus -- npm test -- --selectProjects e2e`. Uses the extension where it is installed, or an archive of it
// that CITUS_ARCHIVE names, and exits with 69 where neither is there. Tests and drills create further databases and
// clusters with what it sets.
import { install } from './prepare.mjs';
import { citusBinaries, UNAVAILABLE } from './support/citus-binaries.mjs';
import { endLike, runChild, stopSignals } from './support/run-child.mjs';
import { giveUp, say } from './support/say.mjs';

const [command, ...args] = process.argv.slice(process.argv[2] === '--' ? 3 : 2);
if (!command) giveUp('Which command? Usage: node scripts/with-citus.mjs -- <command> [arguments …]');

await install(); // pg
const { startCitus } = await import('./support/citus-cluster.mjs');

// From here on a signal only requests a stop, so that the cluster is always deleted.
let stopRequested = null;
for (const signal of stopSignals) process.on(signal, () => (stopRequested ??= signal));

const { binaries, remove, renew } = citusBinaries();
let failed = 1;
const end = await runWithCluster().finally(remove);
for (const signal of stopSignals) process.removeAllListeners(signal);
endLike({ ...end, interrupted: stopRequested });

async function runWithCluster() {
  const cluster = await start().catch((error) => void say(error.message));
  try {
    if (!cluster || stopRequested) return { code: failed };
    const ended = await runChild(command, args, { env: environment(cluster), stdio: 'inherit' });
    if (ended.output) say(ended.output);
    return ended;
  } finally {
    await cluster?.stop();
  }
}

async function start() {
  try {
    return await startCitus(binaries);
  } catch (error) {
    if (stopRequested || !error.message.includes('could not load library')) throw error;
    say(
      'The extension was built for another minor release of PostgreSQL. Fetching the latest for this run …',
    );
    if (renew()) return startCitus(binaries);
    failed = UNAVAILABLE;
    throw error;
  }
}

function environment({ url, urls }) {
  return {
    ...process.env,
    DATABASE_URL: url,
    DATABASE_DISTRIBUTION: 'citus',
    CITUS_NODE_URLS: urls.join(','),
    POSTGRES_BINARIES: binaries,
  };
}
