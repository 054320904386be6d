import { afterAll, beforeAll, describe } from '@jest/globals';
import { type CitusCluster, startCitus } from '../../../scripts/support/citus-cluster.mjs';
import { findPostgres } from '../../../scripts/support/postgres-binaries.mjs';
import { createApp } from '../../../src/app.js';
import { Config } from '../../../src/common/config/config.js';
import { CITUS } from '../../../src/database/citus/citus.js';
import { Database } from '../../../src/database/database.js';
import { isCluster } from './database.js';
import { connectionTo } from './own-servers.js';

const START_MS = 60_000;

interface OwnCluster {
  cluster: CitusCluster;
  app: Awaited<ReturnType<typeof createApp>>;
}

/** Under `npm run with-citus`, for what would harm the databases of other specs: with a cluster of its own, from `beforeAll` on. */
export function describeWithOwnCluster(title: string, define: (own: OwnCluster) => void): void {
  (isCluster ? describe : describe.skip)(title, () => {
    const own = {} as OwnCluster;
    beforeAll(async () => {
      own.cluster = await startCitus(findPostgres() ?? '');
      const { serviceUrl, workerUrls: standbyUrls } = own.cluster;
      own.app = await createApp(Object.assign(new Config(), { logLevel: 'silent' }), {
        connection: { ...connectionTo(serviceUrl), distribution: CITUS, standbyUrls },
      });
      await own.app.init();
      await own.app.get(Database).whenReady();
    }, START_MS);
    afterAll(async () => {
      try {
        await own.app?.close();
      } finally {
        await own.cluster?.stop();
      }
    }, START_MS);
    define(own);
  });
}
