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

/** By SQLSTATE or its class. The server has rolled the statement back. */
const UNAVAILABLE = /^(?:25006|25P03|26000|28|3D000|40001|40P01|42P05|53|55P03|57|58|XX)/;

/** Connection exceptions, a terminated session, statement completion unknown. */
const UNKNOWN = /^(?:08|57P01|57P02|57P05|40003)/;

/** Errors without a code, of pg and TypeORM: the statement was not sent. */
const NOT_SENT =
  /^(?:timeout e|Connection terminated due to connection timeout|Client |Cannot use a pool|SASL|The server does not support SSL|Driver not Connected)/;

/** Errors without a code, of pg: the statement was sent, and its answer is lost. */
const NOT_ANSWERED = /^(?:Connection terminated|Query read timeout)/;

/** TypeORM has not connected yet, or the connection of the transaction broke. */
const TYPEORM =
  /^(?:CannotExecuteNotConnected|EntityMetadataNotFound|QueryRunner(?:Provider)?AlreadyReleased)Error$/;

interface DriverError extends Error {
  readonly code?: string;
  readonly syscall?: string;
  readonly severity?: string;
  readonly constraint?: string;
}

/** What an error of pg, TypeORM or the network means for a request. `undefined`: a fault of ours. */
export function meaningOf(thrown: unknown): Meaning | undefined {
  if (thrown instanceof DatabaseUnavailable) return { kind: thrown.isUnknown ? 'unknown' : 'unavailable' };
  if (!(thrown instanceof Error)) return undefined;
  const error = causeOf(thrown);
  const { code = '', message, syscall, severity } = error;
  if (syscall) return { kind: /connect|getaddrinfo/.test(syscall) ? 'unavailable' : 'unknown' };
  if (!severity && NOT_SENT.test(message)) return { kind: 'unavailable' };
  if (UNKNOWN.test(code) || (!severity && NOT_ANSWERED.test(message))) return { kind: 'unknown' };
  if (UNAVAILABLE.test(code) || TYPEORM.test(error.name)) return { kind: 'unavailable' };
  const name = /^23(?:503|505|514)$/.test(code) ? constraintOf(error) : undefined;
  return name === undefined ? undefined : { kind: 'constraint', name };
}

/** TypeORM wraps the errors of pg; Node.js collects those of all addresses of a host. */
function causeOf(error: Error): DriverError {
  if (error instanceof QueryFailedError) return error.driverError as DriverError;
  return (error instanceof AggregateError ? error.errors[0] : error) as DriverError;
}

/** Citus names it in the message only, with the number of the shard behind it. REINDEX CONCURRENTLY adds _ccnew. */
function constraintOf({ constraint, message }: DriverError): string | undefined {
  const name = constraint ?? /constraint "(.+?)(?:_\d+)?"/.exec(message)?.[1];
  return name?.replace(/_cc(?:new|old)\d*$/, '');
}

/** For logs and command lines. The messages of pg contain no password. */
export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? causeOf(thrown).message : String(thrown);
}
