import { statementName } from '../batching/sql-text.js';
import type { Statement } from '../batching/statement.js';

const TUPLE = / VALUES (\([^()]*\))/;

const known = new WeakMap<Statement, Statement[]>();

/** Citus sends a list of values to its shards as it is, and pulls INSERT … SELECT FROM unnest(…) to the coordinator. */
export function insertOf(statement: Statement, rows: number): Statement {
  const ofCount = known.get(statement) ?? [];
  known.set(statement, ofCount);
  return (ofCount[rows] ??= repeated(statement, rows));
}

function repeated(statement: Statement, rows: number): Statement {
  const [, tuple = ''] = TUPLE.exec(statement.text) ?? [];
  const parameters = new Set(tuple.match(/\$\d+/g)).size;
  const tuples = Array.from({ length: rows }, (_, row) =>
    tuple.replaceAll(/\$(\d+)/g, (_, number: string) => `$${Number(number) + row * parameters}`),
  );
  return {
    ...statement,
    name: statementName(`${statement.name} ${rows}`),
    text: statement.text.replace(TUPLE, () => ` VALUES ${tuples.join(', ')}`),
  };
}
