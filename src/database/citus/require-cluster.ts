import type { QueryRunner } from 'typeorm';
import { ConfigError } from '../../common/config/load-config.js';
import { refuse } from './refuse.js';

/** After a worker broke between the two phases of a commit, its rows are invisible until the coordinator has looked. */
const RECOVER_MS = 500;

/** Whether the server is the coordinator of a usable cluster. */
export async function requireCluster(runner: QueryRunner): Promise<void> {
  const installed = await runner.query("SELECT FROM pg_extension WHERE extname = 'citus'");
  if (installed.length === 0)
    refuse(
      'the extension Citus in the database: add citus to shared_preload_libraries of every node, restart them, and run CREATE EXTENSION citus in the database on each',
    );
  const [{ groupid }] = (await runner.query('SELECT groupid FROM pg_dist_local_group')) as [
    { groupid: number },
  ];
  if (groupid !== 0) refuse('the address of the coordinator in DATABASE_URL, which names a worker');
  const workers = await runner.query('SELECT FROM pg_dist_node WHERE isactive AND shouldhaveshards LIMIT 1');
  if (workers.length === 0)
    refuse(
      "workers: on the coordinator, run SELECT citus_set_coordinator_host('<its host>'), and SELECT citus_add_node('<host>', 5432) for each worker",
    );
  await requireRecovery(runner);
}

/** Without the setting, orders could not be stored, and each read would ask all nodes. */
export async function refuseCluster(runner: QueryRunner): Promise<void> {
  const [{ known }] = (await runner.query("SELECT to_regclass('citus_tables') AS known")) as [
    { known: unknown },
  ];
  if (known === null) return;
  const tables = await runner.query(
    "SELECT FROM citus_tables WHERE citus_table_type = 'distributed' LIMIT 1",
  );
  if (tables.length > 0)
    throw new ConfigError([
      'DATABASE_URL names a database whose tables are distributed: set DATABASE_DISTRIBUTION=citus',
    ]);
}

async function requireRecovery(runner: QueryRunner): Promise<void> {
  const [{ setting }] = (await runner.query(
    "SELECT setting::int FROM pg_settings WHERE name = 'citus.recover_2pc_interval'",
  )) as [{ setting: number }];
  if (setting <= 0 || setting > RECOVER_MS)
    refuse(
      `citus.recover_2pc_interval of at most ${RECOVER_MS} ms on the coordinator: as superuser, run ALTER SYSTEM SET citus.recover_2pc_interval = ${RECOVER_MS}, then SELECT pg_reload_conf()`,
    );
}

/** Citus makes the tables of the nodes as the role that distributes them. */
export async function requireSchema(runner: QueryRunner): Promise<void> {
  const refusing = (await runner.query(`
    SELECT nodename || ':' || nodeport AS node, quote_ident(current_schema()) AS schema, quote_ident(current_user) AS role
    FROM run_command_on_workers(format('SELECT has_schema_privilege(%L, ''CREATE'')', current_schema()))
    WHERE success AND result = 'f'`)) as { node: string; schema: string; role: string }[];
  const [first] = refusing;
  if (!first) return;
  const { schema, role } = first;
  refuse(
    `CREATE on the schema ${schema} of each node: as superuser, run GRANT CREATE ON SCHEMA ${schema} TO ${role} on ${refusing.map(({ node }) => node).join(', ')}`,
  );
}
