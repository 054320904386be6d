import { DatabaseError } from 'pg';
import {
  CannotExecuteNotConnectedError,
  EntityMetadataNotFoundError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';
import { ApiError, RETRY_SOON } from '../api/errors/api-error.js';
import { isStalePlan, type Meaning, meaningOf } from './sqlstate.js';

/** The database cannot serve the request, through no fault of the request: 503. */
export class DatabaseOutage extends ApiError {
  override readonly name: string = 'DatabaseOutage';

  constructor(message = 'The database cannot be reached at the moment.', options?: ErrorOptions) {
    super('service_unavailable', message, RETRY_SOON);
    this.cause = options?.cause;
  }
}

/** More is asked than the database can do in time. Nothing was stored. */
export class DatabaseBusy extends DatabaseOutage {
  override readonly name = 'DatabaseBusy';

  constructor(options?: ErrorOptions) {
    super('The database is too busy at the moment. Nothing was stored.', options);
  }
}

/** The server answered that it cannot. Nothing was stored. */
export class DatabaseRefusal extends DatabaseOutage {
  override readonly name = 'DatabaseRefusal';

  constructor(options?: ErrorOptions) {
    super('The database cannot do this at the moment. Nothing was stored.', options);
  }
}

/** A statement that changes something was sent, and no answer came: it may have been done or not. */
export class OutcomeUnknown extends DatabaseOutage {
  override readonly name = 'OutcomeUnknown';

  constructor(options?: ErrorOptions) {
    super(
      'The database did not answer in time, so the outcome is unknown: look whether it was stored before you send it again.',
      options,
    );
  }
}

export function meaningOfError(error: DatabaseError): Meaning {
  return isStalePlan(error) ? 'stale' : meaningOf(error.code ?? '');
}

/** Errors of sockets and of the look-up of names. */
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
  'ENOENT', // the server's unix socket is not there
]);

/** Failures that the driver reports with nothing but a text. */
const OUTAGE_TEXTS =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)|is not queryable/;

/** By class, since a bundler may give classes other names. */
const OUTAGES = [
  DatabaseOutage,
  QueryRunnerProviderAlreadyReleasedError,
  // TypeORM learns its entities when it first connects: a service that has just started does not know them yet.
  EntityMetadataNotFoundError,
  CannotExecuteNotConnectedError,
];

/** What clients are told of an error that the driver or TypeORM threw; `undefined` when it is no outage. */
export function toOutage(thrown: unknown): DatabaseOutage | undefined {
  if (thrown instanceof DatabaseOutage) return thrown;
  return isDatabaseOutage(thrown) ? new DatabaseOutage(undefined, { cause: thrown }) : undefined;
}

export function isDatabaseOutage(thrown: unknown): boolean {
  if (typeof thrown !== 'object' || thrown === null) return false;
  if (OUTAGES.some((outage) => thrown instanceof outage)) return true;
  const { code, message, routine, errors } = thrown as Record<string, unknown>;
  if (typeof code === 'string') {
    if (SOCKET_CODES.has(code) || meaningOf(code) !== 'own') return true;
    if (isStalePlan({ code, routine: routine as string | undefined })) return true;
  }
  if (typeof message === 'string' && OUTAGE_TEXTS.test(message)) return true;
  // Several addresses were tried, such as ::1 and 127.0.0.1, and each failed.
  return Array.isArray(errors) && errors.some(isDatabaseOutage);
}
