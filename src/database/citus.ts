import { Logger } from '@nestjs/common';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export type MigrationClass = (new () => MigrationInterface) & { readonly isDistribution?: boolean };

/** Longer, and what was acknowledged while a worker died stays invisible for so long after its return. */
const RECOVERY_MS = 1_000;

const PREPARE_NODES = `In postgresql.conf of each node, set shared_preload_libraries = 'citus', wal_level = 'logical' and
max_prepared_transactions = 400, restart it, and run CREATE EXTENSION citus in this database.`;
const ADD_NODES = `Run on the coordinator, in this database:
SELECT citus_set_coordinator_host('<its address>', 5432);
SELECT citus_add_node('<address of a worker>', 5432);`;

/**
 * A migration that only DATABASE_DISTRIBUTION=citus runs, and nothing takes back. It spreads tables over the nodes of a Citus
 * cluster; those without stay on the coordinator. `name` ends with a timestamp after that of every migration which it needs.
 */
export function distribution(name: string, statements: string[]): MigrationClass {
  return class implements MigrationInterface {
    static readonly isDistribution = true;
    readonly name = name;

    async up(runner: QueryRunner): Promise<void> {
      for (const statement of statements) await runner.query(statement);
    }

    async down(): Promise<void> {
      throw new Error('A distributed database does not become one server again.');
    }
  };
}

/** Requires a cluster that can keep the tables. Of one that has them, workers may be down. */
export async function requireCluster(runner: QueryRunner): Promise<void> {
  const [{ recovery }]: [{ recovery: number | null }] = await runner.query(
    `SELECT (SELECT setting::int FROM pg_settings WHERE name = 'citus.recover_2pc_interval') AS recovery
     FROM pg_extension WHERE extname = 'citus' UNION ALL SELECT NULL`,
  );
  if (recovery === null) throw new Error(`DATABASE_DISTRIBUTION=citus: the extension is missing. ${PREPARE_NODES}`);
  if (recovery > RECOVERY_MS || recovery < 0)
    new Logger('Citus').warn(
      `citus.recover_2pc_interval is ${recovery} ms: set it to 1s on the coordinator, ` +
        'or changes may stay invisible for that long after a worker was down.',
    );
  const [{ distributed, workers }]: [{ distributed: boolean; workers: boolean }] = await runner.query(
    `SELECT EXISTS (SELECT FROM pg_dist_partition) AS distributed,
       EXISTS (SELECT FROM pg_dist_node WHERE shouldhaveshards AND isactive) AS workers`,
  );
  if (distributed) return;
  if (!workers) throw new Error(`DATABASE_DISTRIBUTION=citus: the cluster has no workers. ${ADD_NODES}`);
  const unfit: { address: string }[] = await runner.query(
    `SELECT nodename || ':' || nodeport AS address FROM pg_dist_node JOIN run_command_on_all_nodes(
       $$SELECT current_setting('wal_level') = 'logical' AND current_setting('max_prepared_transactions')::int > 0$$
     ) USING (nodeid) WHERE success AND result <> 't'`,
  );
  const addresses = unfit.map(({ address }) => address).join(', ');
  if (addresses) throw new Error(`DATABASE_DISTRIBUTION=citus: settings of ${addresses} are missing. ${PREPARE_NODES}`);
}
