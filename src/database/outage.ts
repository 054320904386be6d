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
  '53300', // too many connections
  '55P03', // a lock was not to be had in time
  '57014', // the statement took too long
  '57P01', // the server is shutting down
  '57P02',
  '57P03', // the server is starting up
]);

/** Failures that the driver and TypeORM report with nothing but a text or a name. */
const OUTAGE_TEXTS =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)|is not queryable/;
const OUTAGE_NAMES = new Set(['QueryRunnerProviderAlreadyReleasedError', 'DatabaseNotReadyError']);

export function isDatabaseOutage(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const code = (thrown as { code?: unknown }).code;
  if (typeof code === 'string' && OUTAGE_CODES.has(code)) return true;
  if (OUTAGE_NAMES.has(thrown.name) || OUTAGE_TEXTS.test(thrown.message)) return true;
  // Several addresses were tried, such as ::1 and 127.0.0.1, and each failed.
  return thrown instanceof AggregateError && thrown.errors.some(isDatabaseOutage);
}
