import type { Execution, Statement } from './statement.js';

/**
 * Puts inserts of the same columns together, into one statement with an array for each column: to the server a row more
 * costs a fraction of a statement more.
 */
export function putTogether(executions: readonly Execution[]): Execution[] {
  const parts = new Map<Statement, Execution[]>();
  const whole: Execution[] = [];
  for (const execution of executions) {
    const { statement } = execution;
    if (!statement.forMany) whole.push(execution);
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
    // A trigger may have left out a row: nobody gets that of another.
    resolve: (rows) => parts.forEach(({ resolve }, i) => resolve(rows[i] ? [rows[i]] : [])),
    reject: (error) => parts.forEach(({ reject }) => reject(error)),
    parts,
  };
}

/** The statements that were put together, as they were. */
export function takeApart(executions: readonly Execution[]): Execution[] {
  return executions.flatMap((execution) => execution.parts ?? [execution]);
}
