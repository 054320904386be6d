// Runs a command with DATABASE_URL set to throw-away servers: `npm run with-postgres -- npm test` on a PostgreSQL, and
// `npm run with-citus -- npm test` on a cluster of a coordinator and two workers. That one exits with 69 where the extension
// is neither installed nor in the archive that CITUS_ARCHIVE names.
import { startCitus } from './support/citus.mjs';
import { startPostgres } from './support/postgres.mjs';
import { giveUp, run } from './support/programs.mjs';

const [kind, command, ...args] = process.argv.slice(2);
if (!command) giveUp(`Which command? Usage: npm run with-${kind} -- <command> [arguments …]`);
const servers = await (kind === 'citus' ? startCitus() : startPostgres());
const distribution = kind === 'citus' && { DATABASE_DISTRIBUTION: kind };
process.exitCode = await run(command, args, { ...process.env, DATABASE_URL: servers.url, ...distribution });
servers.remove();
