import { DatabaseError } from 'pg';
import {
  CannotExecuteNotConnectedError,
  EntityMetadataNotFoundError,
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';
import { ApiError, RETRY_SOON } from '../api/errors/api-error.js';
import { isOfTable, LOCK_NOT_AVAILABLE, type Meaning, meaningOf } from './sqlstate.js';

/** The database cannot serve a correct request: 503. */
export class DatabaseOutage extends ApiError {
  override readonly name: string = 'DatabaseOutage';

  constructor(message = 'The database cannot be reached at the moment.', options?: ErrorOptions) {
    super('service_unavailable', message, RETRY_SOON);
    this.cause = options?.cause;
  }
}

const NOTHING_STORED = ' Nothing was stored.';
const REPEAT = ' Repeat the request under its Idempotency-Key.';

/** Too much load, or a lock. Nothing was stored. */
export class DatabaseBusy extends DatabaseOutage {
  override readonly name = 'DatabaseBusy';

  constructor(options?: ErrorOptions) {
    super(`The database is too busy at the moment.${NOTHING_STORED}`, options);
  }
}

/** The server answered that it cannot do it. Nothing was stored. */
export class DatabaseRefusal extends DatabaseOutage {
  override readonly name = 'DatabaseRefusal';

  constructor(
    options?: ErrorOptions,
    message = `The database cannot do this at the moment.${NOTHING_STORED}`,
  ) {
    super(message, options);
  }
}

/** A write was sent and not answered: it may have been committed. */
export class OutcomeUnknown extends DatabaseOutage {
  override readonly name = 'OutcomeUnknown';

  constructor(options?: ErrorOptions) {
    super(
      'The database did not answer in time, so the outcome is unknown: send it again under its Idempotency-Key, or look whether it took effect.',
      options,
    );
  }
}

/** The same, or another attempt before, may have stored what this one did not. */
export function underKey(error: unknown): unknown {
  if (!(error instanceof DatabaseOutage) || !error.message.endsWith(NOTHING_STORED)) return error;
  return new DatabaseOutage(error.message.replace(NOTHING_STORED, REPEAT), { cause: error.cause });
}

export function meaningOfError({ code = '', routine }: DatabaseError): Meaning {
  return meaningOf(code, routine);
}

/** Whether a function of the database says so, and not the server: whatever its code, no time limit or lock is the cause. */
export function isRaised({ routine }: DatabaseError): boolean {
  return routine === 'exec_stmt_raise';
}

/** Whether it waited in vain for a lock of another transaction. */
export function isLocked(error: DatabaseError): boolean {
  return error.code === LOCK_NOT_AVAILABLE && !isRaised(error);
}

/** What the caller of a statement gets when the server refused it and stored nothing. */
export function toRefusal(error: DatabaseError): Error {
  if (meaningOfError(error) === 'own') return error;
  return isBusy(error) ? new DatabaseBusy({ cause: error }) : new DatabaseRefusal({ cause: error });
}

/** The server cannot run a statement, and a row may be the cause. Not what is not answered, late or too much. */
export function mayBeOfRow(error: unknown): boolean {
  const cause = error instanceof DatabaseRefusal ? error.cause : error;
  return cause instanceof DatabaseError && !isOfTable(cause.code ?? '');
}

function isBusy(error: unknown): boolean {
  return error instanceof DatabaseError && ['busy', 'conflict'].includes(meaningOfError(error));
}

/** TypeORM wraps the errors of pg. */
export function driverErrorOf(thrown: unknown): unknown {
  return thrown instanceof QueryFailedError ? thrown.driverError : thrown;
}

export function isConflict(thrown: unknown): boolean {
  return thrown instanceof DatabaseError && meaningOfError(thrown) === 'conflict';
}

/** What the caller of a transaction gets. Errors of its feature pass. */
export function toTransactionError(cause: unknown, isCommitting: boolean): unknown {
  if (cause instanceof DatabaseOutage || !isDatabaseOutage(cause)) return cause;
  const isAnswer = cause instanceof DatabaseError && !['unknown', 'outage'].includes(meaningOfError(cause));
  if (isCommitting && !isAnswer) return new OutcomeUnknown({ cause });
  return cause instanceof DatabaseError ? toRefusal(cause) : new DatabaseOutage(undefined, { cause });
}

/** While an index is rebuilt concurrently, PostgreSQL adds this to the name of the old or the new one. */
const REBUILT = /_cc(?:new|old)\d*$/;

/** The name of the constraint, or of the unique index, that a statement or a commit violated. */
export function constraintOf(thrown: unknown): string | undefined {
  const error = driverErrorOf(thrown);
  if (!(error instanceof DatabaseError && error.code?.startsWith('23'))) return undefined;
  return error.constraint?.replace(REBUILT, '');
}

/** A row is missing that this one refers to, or others refer to this one. */
export function isForeignKeyViolation(thrown: unknown): boolean {
  return (driverErrorOf(thrown) as { code?: unknown } | undefined)?.code === '23503';
}

/** Errors of sockets and of DNS. */
const SOCKET_CODES = new Set([
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT', // no such unix socket
]);

/** Errors of pg without a code. */
const OUTAGE_TEXTS =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)|is not queryable/;

/** Compared by class, because a bundler may rename classes. */
const OUTAGES = [
  DatabaseOutage,
  QueryRunnerAlreadyReleasedError, // the connection of a transaction broke
  QueryRunnerProviderAlreadyReleasedError,
  EntityMetadataNotFoundError, // TypeORM loads the entities when it first connects
  CannotExecuteNotConnectedError,
];

/**
 * Translates errors of pg and TypeORM; `undefined` for those that are no outage. When the operation changes something, a
 * statement that was sent and not answered leaves its outcome unknown.
 */
export function toOutage(thrown: unknown, changesSomething: boolean): DatabaseOutage | undefined {
  const cause = driverErrorOf(thrown);
  if (cause instanceof DatabaseOutage) return cause;
  if (!isDatabaseOutage(cause)) return undefined;
  if (changesSomething && isUnanswered(cause as Error)) return new OutcomeUnknown({ cause });
  return isBusy(cause) ? new DatabaseBusy({ cause }) : new DatabaseOutage(undefined, { cause });
}

/** A connection that could not be made carried no statement. */
const CUT_OFF_CODES = new Set(['ECONNABORTED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT']);
const CUT_OFF_TEXTS =
  /^(?:Connection terminated(?! due to connection timeout)|Query read timeout|Client has encountered a connection error)/;

function isUnanswered(error: Error & { code?: unknown; syscall?: unknown; routine?: string }): boolean {
  const { message, code, syscall, routine } = error;
  if (typeof code !== 'string') return CUT_OFF_TEXTS.test(message);
  return (CUT_OFF_CODES.has(code) && syscall !== 'connect') || meaningOf(code, routine) === 'unknown';
}

export function isDatabaseOutage(thrown: unknown): boolean {
  if (typeof thrown !== 'object' || thrown === null) return false;
  if (OUTAGES.some((outage) => thrown instanceof outage)) return true;
  const { code, message, routine, errors } = thrown as Record<string, unknown>;
  if (typeof code === 'string') {
    if (SOCKET_CODES.has(code) || meaningOf(code, routine as string | undefined) !== 'own') return true;
  }
  if (typeof message === 'string' && OUTAGE_TEXTS.test(message)) return true;
  // An AggregateError: every address of a host failed, such as ::1 and 127.0.0.1.
  return Array.isArray(errors) && errors.some(isDatabaseOutage);
}
