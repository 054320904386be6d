import type { QueryRunner } from 'typeorm';

const NAME = String.raw`(?:CONSTRAINT\s+\S+\s+)?`;
const SCHEMA = String.raw`(?:"?\w+"?\.)?`;
const COLUMNS = String.raw`(?:\s*\([^)]*\))?`;
const ACTIONS = String.raw`(?:\s+ON\s+(?:DELETE|UPDATE)\s+(?:CASCADE|RESTRICT|NO\s+ACTION|SET\s+(?:NULL|DEFAULT)))*`;
const CREATE_TABLE = /^\s*CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(?:"?\w+"?\.)?"?(\w+)/i;

/**
 * Leaves out the references of new tables to distributed ones, which have to name the block: `distribute` adds those that
 * entities have. So a migration is the same on one server.
 */
export async function postponeReferences(runner: QueryRunner): Promise<void> {
  const distributed = (await runner.query(
    "SELECT relname AS name FROM pg_dist_partition JOIN pg_class ON pg_class.oid = logicalrelid WHERE partmethod = 'h'",
  )) as { name: string }[];
  if (distributed.length === 0) return;
  const names = distributed.map(({ name }) => name).join('|');
  const reference = String.raw`REFERENCES\s+${SCHEMA}"?(?:${names})\b"?${COLUMNS}${ACTIONS}`;
  const references = new RegExp(
    String.raw`,\s*${NAME}FOREIGN\s+KEY\s*\([^)]*\)\s*${reference}|${NAME}${reference}`,
    'gi',
  );
  const tables = new Set(runner.dataSource.entityMetadatas.map(({ tableName }) => tableName));
  const query = runner.query.bind(runner) as (...given: unknown[]) => Promise<never>;
  runner.query = (text: string, ...rest: unknown[]) => {
    const [, table = ''] = CREATE_TABLE.exec(text) ?? [];
    return query(tables.has(table) ? text.replaceAll(references, '') : text, ...rest);
  };
}
