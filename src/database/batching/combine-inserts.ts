import type { PendingQuery, Statement } from './statement.js';

/** Combines inserts into the same columns to one statement with an array per column: a row costs less than a statement. */
export function combineInserts(queries: readonly PendingQuery[]): PendingQuery[] {
  const inserts = new Map<Statement, PendingQuery[]>();
  const combined: PendingQuery[] = [];
  for (const query of queries) {
    const { statement } = query;
    if (!statement.forMany) combined.push(query);
    else if (!inserts.get(statement)?.push(query)) inserts.set(statement, [query]);
  }
  for (const [{ forMany }, parts] of inserts) combined.push(combine(forMany as Statement, parts));
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

/** Undoes `combineInserts`. */
export function separateInserts(queries: readonly PendingQuery[]): PendingQuery[] {
  return queries.flatMap((query) => query.parts ?? [query]);
}
