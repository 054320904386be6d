import { DataSource } from 'typeorm';
import { createApp } from '../app.js';
import { runAsCommand } from '../cli/run-as-command.js';
import { UsageError } from '../cli/usage-error.js';
import { waitForDatabase } from '../cli/wait-for-database.js';
import { environment, loadConfig } from '../common/config/load-config.js';
import { Database } from '../database/database.js';

const TIMEOUT_MS = 30_000;

/** Fails when entities and migrations describe different tables. It migrates the database: use a scratch one. */
await runAsCommand(async () => {
  const [argument] = process.argv.slice(2);
  if (argument !== undefined) {
    throw new UsageError(
      `npm run migrations:check takes no arguments, but got "${argument}". Set DATABASE_URL to a scratch database.`,
    );
  }
  const app = await createApp(loadConfig(environment()));
  try {
    await waitForDatabase(app.get(Database), TIMEOUT_MS);
    const { upQueries } = await app.get(DataSource).driver.createSchemaBuilder().log();
    if (upQueries.length === 0) return 'The entities and the migrations agree.';
    const missing = upQueries.map(({ query }) => `  ${query};`);
    throw new UsageError(['The entities differ from the migrations, which lack:', ...missing].join('\n'));
  } finally {
    await app.close();
  }
});
