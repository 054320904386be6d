import type { QueryRunner } from 'typeorm';

const ACTIONS = String.raw`(?:\s+ON\s+(?:DELETE|UPDATE)\s+(?:CASCADE|RESTRICT|NO\s+ACTION|SET\s+(?:NULL|DEFAULT)))*`;
const NAME = String.raw`(?:CONSTRAINT\s+\S+\s+)?`;

/**
 * Leaves out the references of new tables to distributed ones, which have to name the block: `distribute` adds them. So a
 * migration is the same on one server.
 */
export async function postponeReferences(runner: QueryRunner): Promise<void> {
  const tables = (await runner.query(
    "SELECT logicalrelid::regclass::text AS name FROM pg_dist_partition WHERE partmethod = 'h'",
  )) as { name: string }[];
  if (tables.length === 0) return;
  const names = tables.map(({ name }) => name.replaceAll('"', '')).join('|');
  const reference = String.raw`REFERENCES\s+"?(?:${names})"?\s*\([^)]*\)${ACTIONS}`;
  const references = new RegExp(
    String.raw`,\s*${NAME}FOREIGN\s+KEY\s*\([^)]*\)\s*${reference}|${NAME}${reference}`,
    'gi',
  );
  const query = runner.query.bind(runner);
  runner.query = (text: string, values?: unknown[]) =>
    query(/^\s*CREATE\s+TABLE/i.test(text) ? text.replaceAll(references, '') : text, values);
}
