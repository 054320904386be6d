import { startPostgres } from './postgres.mjs';
import { issueKeys } from './service.mjs';

/** Starts PostgreSQL with these lines of postgresql.conf, and returns the settings of a service on it with a key. */
export async function setUp(drill, configuration) {
  const cluster = await startPostgres(drill, configuration);
  drill.progress('issuing a key');
  const settings = {
    DATABASE_URL: cluster.serviceUrl ?? cluster.url,
    ...(cluster.workerUrls && { DATABASE_STANDBY_URLS: cluster.workerUrls.join(',') }),
    KEY_ENVIRONMENT: 'test',
    // The drill checks the answers, which the log would only repeat. Set LOG_LEVEL to see it.
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'fatal',
  };
  const [key] = await issueKeys(settings, 1);
  return { cluster, settings, key };
}
