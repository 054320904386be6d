import { DatabaseError } from 'pg';
import { QueryFailedError } from 'typeorm';

type Description = Readonly<Record<string, unknown>>;

/**
 * An error as it is logged. What a database says may quote what a client sent, in its message, detail, hint and context,
 * and TypeORM adds the statement and its values; so only what names things of the schema and the server is kept.
 */
export function describeError(thrown: unknown): unknown {
  if (thrown instanceof DatabaseError) return describeDatabaseError(thrown);
  if (!(thrown instanceof Error)) return thrown;
  const { name, message, stack, cause, code } = thrown as NodeJS.ErrnoException;
  if (thrown instanceof QueryFailedError)
    return { name, at: framesOf(stack), cause: describeError(thrown.driverError) };
  return { name, message, stack, code, ...(cause !== undefined && { cause: describeError(cause) }) };
}

function describeDatabaseError(error: DatabaseError): Description {
  const { code, schema, table, column, dataType, constraint, routine } = error;
  return { name: 'DatabaseError', code, schema, table, column, dataType, constraint, routine };
}

/** The lines of a stack that say where it happened, without the message above them. */
export function framesOf(stack: unknown): string[] {
  const lines = typeof stack === 'string' ? stack.split('\n') : [];
  return lines.filter((line) => /^ {4}at /.test(line)).map((line) => line.trim());
}
