import type { Execution, Statement } from './statement.js';

/**
 * Puts inserts of the same columns together, into one statement with an array for each column: to the server a row more
 * costs a fraction of a statement more. The server returns the rows in the order of the arrays.
 */
export function putTogether(executions: Execution[]): Execution[] {
  const parts = new Map<Statement, Execution[]>();
  const whole: Execution[] = [];
  for (const execution of executions) {
    const { statement, alone } = execution;
    if (!statement.forMany || alone) whole.push(execution);
    else if (!parts.get(statement)?.push(execution)) parts.set(statement, [execution]);
  }
  for (const [{ forMany }, same] of parts) whole.push(asOne(forMany as Statement, same));
  return whole;
}

function asOne(statement: Statement, parts: Execution[]): Execution {
  const [first] = parts as [Execution];
  if (parts.length === 1) return first;
  return {
    statement,
    values: first.values.map((_, column) => parts.map(({ values }) => values[column])),
    since: first.since,
    resolve: (rows) => parts.forEach(({ resolve }, i) => resolve(rows.slice(i, i + 1))),
    reject: (error) => parts.forEach(({ reject }) => reject(error)),
    parts,
  };
}

/** When one of them is at fault, nobody knows which, until each is a statement of its own. */
export function takeApart({ parts = [] }: Execution): Execution[] {
  return parts.map((part) => ({ ...part, alone: true }));
}
