import type { Distribution } from '../distribution.js';
import type { PendingQuery, Row, Statement } from './statement.js';

/** Combines inserts into the same columns to one statement with an array per column: a row costs less than a statement. */
export function combineInserts(
  queries: readonly PendingQuery[],
  distribution?: Distribution,
): PendingQuery[] {
  const inserts = new Map<Statement, PendingQuery[]>();
  const combined: PendingQuery[] = [];
  for (const query of queries) {
    const { statement } = query;
    if (!statement.forMany) combined.push(query);
    else if (!inserts.get(statement)?.push(query)) inserts.set(statement, [query]);
  }
  for (const [statement, parts] of inserts)
    combined.push(
      distribution ? listed(distribution, statement, parts) : combine(statement.forMany as Statement, parts),
    );
  return combined;
}

function combine(statement: Statement, parts: PendingQuery[]): PendingQuery {
  const [first] = parts as [PendingQuery];
  if (parts.length === 1) return first;
  return {
    statement,
    values: first.values.map((_, column) => parts.map(({ values }) => values[column])),
    since: first.since,
    // A trigger may suppress a row; its insert must not receive another row.
    resolve: (rows) => parts.forEach(({ resolve }, i) => resolve(rows[i] ? [rows[i]] : [])),
    reject: (error) => parts.forEach(({ reject }) => reject(error)),
    parts,
  };
}

/** With the values of the rows one after the other, and so with ids that ascend in the order of the rows. */
function listed(distribution: Distribution, statement: Statement, parts: PendingQuery[]): PendingQuery {
  const [first] = parts as [PendingQuery];
  if (parts.length === 1) return first;
  const isNumbered = statement.properties.includes('id');
  return {
    statement: distribution.insertOf(statement, parts.length),
    values: parts.flatMap(({ values }) => values),
    since: first.since,
    resolve: (rows) => {
      const stored = isNumbered ? rows.toSorted(byId) : rows;
      parts.forEach(({ resolve }, i) => resolve([stored[i] as Row]));
    },
    reject: (error) => parts.forEach(({ reject }) => reject(error)),
    parts,
  };
}

function byId(a: Row, b: Row): number {
  return (a['id'] as bigint) < (b['id'] as bigint) ? -1 : 1;
}

/** Undoes `combineInserts`. */
export function separateInserts(queries: readonly PendingQuery[]): PendingQuery[] {
  return queries.flatMap((query) => query.parts ?? [query]);
}
