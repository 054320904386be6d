import {
  CannotExecuteNotConnectedError,
  EntityMetadataNotFoundError,
  QueryRunnerProviderAlreadyReleasedError,
} from 'typeorm';

/** The database cannot do what was asked, through no fault of the request. The message is for the client. */
export class DatabaseOutage extends Error {
  override readonly name: string = 'DatabaseOutage';

  constructor(message = 'The database cannot be reached at the moment.', options?: ErrorOptions) {
    super(message, options);
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

/** SQLSTATEs and socket errors that mean the database is away or overwhelmed, not that a statement is wrong. */
const OUTAGE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT', // the server's unix socket is not there
  '08000',
  '08001',
  '08003',
  '08004',
  '08006',
  '25006', // read-only: this server is a standby now
  '40001', // another transaction was in the way, and everything was rolled back
  '40P01',
  '53300', // too many connections
  '55P03', // a lock was not to be had in time
  '57014', // the statement took too long
  '57P01', // the server is shutting down
  '57P02',
  '57P03', // the server is starting up
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

export function isDatabaseOutage(thrown: unknown): boolean {
  if (typeof thrown !== 'object' || thrown === null) return false;
  if (OUTAGES.some((outage) => thrown instanceof outage)) return true;
  const { code, message, errors } = thrown as Record<string, unknown>;
  if (typeof code === 'string' && OUTAGE_CODES.has(code)) return true;
  if (typeof message === 'string' && OUTAGE_TEXTS.test(message)) return true;
  // Several addresses were tried, such as ::1 and 127.0.0.1, and each failed.
  return Array.isArray(errors) && errors.some(isDatabaseOutage);
}
