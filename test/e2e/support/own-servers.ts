import { describe } from '@jest/globals';
import { findPostgres } from '../../../scripts/support/postgres-binaries.mjs';
import { isCluster } from './database.js';

/** For `startCluster` and `startStandby`. */
export const binaries = process.env['DATABASE_URL'] && !isCluster ? findPostgres() : undefined;

/** Tests that change, suspend or replace a whole server, so they start their own beside the one in DATABASE_URL. */
export const describeWithServers = binaries ? describe : describe.skip;

/** To such a server, as a service in production connects. */
export const connectionTo = (url: string) =>
  ({ kind: 'server', url, directUrl: url, poolSize: 12, preparedStatements: true }) as const;
