// Runs a command with DATABASE_URL set to a throw-away PostgreSQL: `npm run with-postgres -- npm test`. A DATABASE_URL that
// is already set is used as it is.
import { commandOf, run } from './support/programs.mjs';
import { startPostgres } from './support/postgres.mjs';

const [command, args] = commandOf('scripts/with-postgres.mjs');
const server = process.env.DATABASE_URL ? undefined : await startPostgres();
const env = { ...process.env, DATABASE_URL: process.env.DATABASE_URL ?? server.url };
process.exitCode = await run(command, args, env);
await server?.remove();
