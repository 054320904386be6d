// Runs a command on a throw-away Citus cluster of a coordinator and two workers: `npm run with-citus -- npm test`. Exits
// with 69 where the extension is neither installed nor in the archive that CITUS_ARCHIVE names.
import { install } from './prepare.mjs';
import { commandOf, run } from './support/programs.mjs';

const [command, args] = commandOf('scripts/with-citus.mjs');
install(); // pg
const { startCitus } = await import('./support/citus.mjs');
const cluster = await startCitus();
process.exitCode = await run(command, args, {
  ...process.env,
  DATABASE_URL: cluster.url,
  DATABASE_DISTRIBUTION: 'citus',
});
await cluster.remove();
