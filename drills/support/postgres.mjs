import { postgresBinaries } from '../../scripts/support/postgres-binaries.mjs';
import { startCluster } from '../../scripts/support/postgres-cluster.mjs';

/** A PostgreSQL of the drill's own, gone when the drill ends. */
export async function startPostgres(drill) {
  drill.progress('starting PostgreSQL');
  const cluster = await startCluster(postgresBinaries());
  drill.defer(cluster.stop);
  return cluster;
}
