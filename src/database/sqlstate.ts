export const LOCK_NOT_AVAILABLE = '55P03';
/** What follows an error, until a ROLLBACK. */
export const IN_FAILED_TRANSACTION = '25P02';
/** By a time limit, or somebody. */
export const QUERY_CANCELED = '57014';
export const UNIQUE_VIOLATION = '23505';

/** What settings of the role or the database can cause, which a connection has from its start to its end. */
export const OF_SESSION: ReadonlySet<string> = new Set(['25006', '42501']);

/**
 * The meaning of a server error. The transaction is rolled back, unless the outcome is `unknown`.
 *
 * - `own`: the statement or its values are at fault. 500, unless the feature handles the code.
 * - `busy`: the server was too slow, or a lock was held. 503.
 * - `conflict`: a concurrent transaction interfered. A retry, then 503.
 * - `stale`: a prepared statement of the connection is outdated. A retry on another connection, then 503.
 * - `schema`: a table, column or permission is missing or has changed. 503, and not ready if reads fail.
 * - `outage`: the server cannot work now: no disk, no memory, starting, stopping, a standby. 503.
 * - `unknown`: the transaction may have been committed. 503, with a message that says so.
 */
export type Meaning = 'own' | 'busy' | 'conflict' | 'stale' | 'schema' | 'outage' | 'unknown';

/** By SQLSTATE or by its class, the first two characters. All others are `own`. */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  '08': 'unknown', // connection exceptions, reported by a pooler or a distributed engine
  // Values are validated before they are sent, so a client's value causes none of these five.
  '0A000': 'schema', // not supported, such as RETURNING on a table with a conditional rule
  '22001': 'schema', // the column is too short
  '2200H': 'schema', // the sequence of the ids is at its end
  '22P02': 'schema', // the column has another type
  '23502': 'schema', // a new column needs a value
  '25006': 'outage', // read only: a standby
  '25P03': 'outage', // idle in transaction for too long
  '25P04': 'outage', // transaction timeout
  '26': 'stale', // no such prepared statement: DISCARD ALL, or a pooler
  '28': 'outage', // authorisation: a password that is being changed
  '3D': 'outage', // no such database
  '3F': 'schema',
  '40': 'conflict', // serialization failure, deadlock
  '40002': 'own', // a constraint, at the commit
  '40003': 'unknown', // statement completion unknown
  '42501': 'schema', // no permission
  '42703': 'schema', // no such column
  '42704': 'schema', // no such object, such as a type
  '42804': 'schema', // the type does not fit
  '42883': 'schema', // no such function or operator
  '42P01': 'schema', // no such table
  '42P05': 'stale', // the prepared statement exists already
  '53': 'outage', // no disk space, no memory, no connections
  '55006': 'busy', // object in use
  [LOCK_NOT_AVAILABLE]: 'busy',
  '57': 'outage', // shutting down, starting up, terminated
  [QUERY_CANCELED]: 'busy',
  '58': 'outage', // I/O error, or a file is missing
  '72': 'conflict', // snapshot too old
  F0: 'outage', // the configuration file of the server
  HV001: 'outage', // foreign data: out of memory
  HV00N: 'outage', // foreign data: no connection
  XX001: 'outage', // a damaged page
  XX002: 'outage', // a damaged index
};

/**
 * Codes that mean something else when this function of the server reports them. Its name is not translated.
 *
 * - "cached plan must not change result type", after ALTER TABLE
 * - "database is not accepting commands", until VACUUM has freed transaction ids
 * - "database is not currently accepting connections", and "cannot connect to invalid database", whose removal was
 *   interrupted
 */
const BY_ROUTINE: Readonly<Record<string, Readonly<Record<string, Meaning>>>> = {
  RevalidateCachedQuery: { '0A000': 'stale' },
  GetNewTransactionId: { '54000': 'outage' },
  GetNewMultiXactId: { '54000': 'outage' },
  CheckMyDatabase: { '55000': 'outage' },
  InitPostgres: { '55000': 'outage' },
};

/** Where Citus reports what another node said, or that it said nothing. The codes are those of internal errors, too. */
const NODE_ROUTINES =
  /^(?:ReportConnectionError|ReportResultError|CheckRemoteTransactionsHealth|ErrorIfPostCommitFailedShardPlacements)$/;

export function meaningOf(sqlstate: string, routine = ''): Meaning {
  if (NODE_ROUTINES.test(routine) && /^(?:08|57P|58|XX)/.test(sqlstate)) return 'unknown';
  return BY_ROUTINE[routine]?.[sqlstate] ?? MEANINGS[sqlstate] ?? MEANINGS[sqlstate.slice(0, 2)] ?? 'own';
}

/** Whether a table, one of its columns, or a permission is missing: no row is the cause. */
export function isOfTable(sqlstate: string): boolean {
  return /^(?:3F|42)/.test(sqlstate);
}

/**
 * Whether a statement may have failed only because its connection prepared it before the schema changed. PostgreSQL
 * converts values to their type, or looks it up, before it plans anew. If the type is dropped, that is an internal error.
 */
export function mayBeOutdated(sqlstate: string): boolean {
  if (/^(?:22003|22P02|XX000)$/.test(sqlstate)) return true;
  return isOfTable(sqlstate) && meaningOf(sqlstate) === 'schema';
}
