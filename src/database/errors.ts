import { types } from 'node:util';
import { QueryFailedError } from 'typeorm';

/** The database cannot serve a correct request at the moment. */
export class DatabaseUnavailable extends Error {
  /** @param isUnknown of a change that was sent and not answered: it may have taken effect */
  constructor(
    readonly isUnknown: boolean,
    options?: ErrorOptions,
  ) {
    super(isUnknown ? 'The database did not answer' : 'The database is not available', options);
  }
}

export type Meaning = { kind: 'unavailable' | 'unknown' } | { kind: 'constraint'; name: string };

/** SQLSTATEs and classes of a server that was lost, or has lost a node: what was sent may have taken effect. */
const LOST = /^(?:08|57P01|57P02|57P05|40003)/;
/** Those of a server that cannot do it now, or whose tables somebody has changed. It has rolled the statement back. */
const REFUSED =
  /^(?:0A000|22001|23502|25006|25P03|26000|28|3D000|40001|40P01|42501|42703|42P01|42P05|53|55P03|57|58|XX)/;
const CONSTRAINT = /^23(?:503|505|514|P01)$/;

/** What pg and TypeORM say without a code when they sent nothing, or got no answer. */
const NOT_SENT =
  /^(?:timeout e|Connection terminated due to|Client |Cannot use a pool|SASL|The server does not support|Driver not)/;
const NOT_ANSWERED = /^(?:Connection terminated|Query read timeout)/;
const NOT_CONNECTED =
  /^(?:CannotExecuteNotConnected|EntityMetadataNotFound|QueryRunner(?:Provider)?AlreadyReleased)Error$/;

type DriverError = Error & { code?: string; syscall?: string; severity?: string; constraint?: string };

/** What an error of pg, TypeORM or the network means for a request. `undefined`: a fault of ours. */
export function meaningOf(thrown: unknown): Meaning | undefined {
  if (thrown instanceof DatabaseUnavailable) return { kind: thrown.isUnknown ? 'unknown' : 'unavailable' };
  if (!types.isNativeError(thrown)) return undefined;
  const { name, code = '', message, syscall, severity, constraint } = causeOf(thrown);
  if (syscall) return { kind: /connect|getaddrinfo/.test(syscall) ? 'unavailable' : 'unknown' };
  if (NOT_CONNECTED.test(name) || (!severity && NOT_SENT.test(message))) return { kind: 'unavailable' };
  if (LOST.test(code) || (!severity && NOT_ANSWERED.test(message))) return { kind: 'unknown' };
  if (REFUSED.test(code)) return { kind: 'unavailable' };
  if (!CONSTRAINT.test(code)) return undefined;
  // Citus names it in the message only, with the number of the shard. REINDEX CONCURRENTLY adds _ccnew.
  const violated = constraint ?? /constraint "(.+?)(?:_\d+)?"/.exec(message)?.[1];
  return violated ? { kind: 'constraint', name: violated.replace(/_cc(?:new|old)\d*$/, '') } : undefined;
}

/** For logs and command lines. The messages of pg contain no password. */
export const reasonOf = (thrown: unknown): string =>
  thrown instanceof Error ? causeOf(thrown).message : String(thrown);

/** We and TypeORM wrap the errors of pg; Node.js collects those of all addresses of a host. */
function causeOf(error: Error): DriverError {
  if (error instanceof DatabaseUnavailable && types.isNativeError(error.cause)) return causeOf(error.cause);
  if (error instanceof QueryFailedError) return error.driverError as DriverError;
  return (error instanceof AggregateError ? error.errors[0] : error) as DriverError;
}
