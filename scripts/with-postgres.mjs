// Runs a command with DATABASE_URL set to a throw-away PostgreSQL: `node scripts/with-postgres.mjs -- npm test`.
// Uses DATABASE_URL unchanged if it is already set.
import { postgresBinaries } from './support/postgres-binaries.mjs';
import { startCluster } from './support/postgres-cluster.mjs';
import { endLike, runChild, stopSignals } from './support/run-child.mjs';
import { giveUp, say } from './support/say.mjs';

const [command, ...args] = process.argv.slice(process.argv[2] === '--' ? 3 : 2);
if (!command) giveUp('Which command? Usage: node scripts/with-postgres.mjs -- <command> [arguments …]');

// From here on a signal only requests a stop, so that the cluster is always deleted.
let stopRequested = null;
for (const signal of stopSignals) process.on(signal, () => (stopRequested ??= signal));

const end = process.env.DATABASE_URL ? await runCommand(process.env) : await runWithCluster();
for (const signal of stopSignals) process.removeAllListeners(signal);
endLike({ ...end, interrupted: stopRequested });

async function runWithCluster() {
  const cluster = await startCluster(postgresBinaries()).catch((error) => giveUp(error.message));
  try {
    if (stopRequested) return { code: 1 };
    return await runCommand({ ...process.env, DATABASE_URL: cluster.url });
  } finally {
    await cluster.stop();
  }
}

async function runCommand(env) {
  const ended = await runChild(command, args, { env, stdio: 'inherit' });
  if (ended.output) say(ended.output);
  return ended;
}
