import { startPostgres } from './postgres.mjs';
import { issueKeys } from './service.mjs';

/** A PostgreSQL, the settings of a service on it, and a key. */
export async function setUp(drill) {
  const cluster = await startPostgres(drill);
  drill.progress('issuing a key');
  const settings = {
    DATABASE_URL: cluster.url,
    KEY_ENVIRONMENT: 'test',
    LOG_LEVEL: 'fatal', // what clients are told is looked at; the log would repeat it for each of them
  };
  const [key] = await issueKeys(settings, 1);
  return { cluster, settings, key };
}
