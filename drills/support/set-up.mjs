import { startPostgres } from './postgres.mjs';
import { issueKeys } from './service.mjs';

/** A PostgreSQL, the settings of a service on it, and a key. */
export async function setUp(drill) {
  const cluster = await startPostgres(drill);
  drill.progress('issuing a key');
  const settings = {
    DATABASE_URL: cluster.url,
    KEY_ENVIRONMENT: 'test',
    // What clients are told is looked at; the log would repeat it for each of them. Whoever wants to see it says so.
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'fatal',
  };
  const [key] = await issueKeys(settings, 1);
  return { cluster, settings, key };
}
