import { setTimeout as delay } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { createApp } from '../app.js';
import { environment, loadConfig } from '../common/config/load-config.js';
import { Database } from '../database/database.js';

/** Fails when the entities and the migrations do not describe the same tables. It migrates: give it a database to try on. */
const [argument] = process.argv.slice(2);
if (argument !== undefined) {
  process.stderr.write(
    `npm run migrations:check takes no arguments, but got "${argument}". Set DATABASE_URL to a database to try on.\n`,
  );
  process.exit(1);
}

const app = await createApp(loadConfig(environment()));
await Promise.race([app.get(Database).whenReady(), unreachable()]);
const { upQueries } = await app.get(DataSource).driver.createSchemaBuilder().log();
await app.close();
if (upQueries.length > 0) {
  process.stderr.write('The entities say more or less than the migrations. Missing from the migrations:\n');
  for (const { query } of upQueries) process.stderr.write(`  ${query};\n`);
  process.exitCode = 1;
} else {
  process.stdout.write('The entities and the migrations agree.\n');
}

async function unreachable(): Promise<never> {
  await delay(30_000, undefined, { ref: false });
  throw new Error('The database does not answer. Check DATABASE_URL.');
}
