import pg, { type Connection, DatabaseError } from 'pg';
import { isRaised } from '../database-errors.js';
import { destroyConnection, isClosed } from '../destroy-connection.js';
import { DATABASE_LIMITS } from '../limits.js';
import { RowParsingClient } from '../pg-driver.js';
import { isWithinMessage, readRows } from '../row-parser.js';
import type { SessionConfig } from './server-client.js';
import { mayBeOutdated, OF_SESSION } from '../sqlstate.js';
import { PROCESS_MARK } from './process-mark.js';
import { ASK_SERVER } from './server-identity.js';
import type { Session } from './session.js';

/** pg parses timestamps in ISO style only. PgBouncer applies these to every connection that it lends. */
const STYLES = { DateStyle: 'ISO', TimeZone: 'UTC', standard_conforming_strings: 'on' };

/** If new sessions are refused the same, each is replaced so often. */
const OUTDATED_MS = 2_000;
/** The same for a session of a pooler that may know types as they were: a row may be the cause. */
const POOLED_MS = 5_000;
/** A pooler's session that may be the cause of an error is ended if it is old. If it is not, none is for this time. */
const YOUNG_MS = 1_000;

export type Callback = (error: Error | null, ...results: unknown[]) => void;

/** The parameters of pg's startup message, which its types leave out. */
const { getStartupConf } = pg.Client.prototype as unknown as {
  getStartupConf: (this: pg.Client) => Record<string, string>;
};

const endSessionOlderThan = (ms: number): pg.QueryConfig & { query_timeout: number } => ({
  text: `ROLLBACK; SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE pid = pg_backend_pid() AND backend_start < now() - interval '${ms} milliseconds'`,
  query_timeout: DATABASE_LIMITS.answerMs,
});
/** When one was last too young, or may not be ended. */
let foundYoungAt = -Infinity;

const ignore = (): void => {};

/**
 * After a query timeout the answer may still arrive. pg would return the client to the pool, where the next statement
 * would wait for that answer, so the connection is abandoned before the caller sees the error.
 */
export class TimeoutSafeClient extends RowParsingClient {
  isAbandoned = false;
  /** Its session may have settings that the role or the database has no more, or functions that know types as they were. */
  isOutdated = false;
  server: string | undefined;
  /** The least age of a session of a pooler that it is ended for that. */
  private outdatedMs = OUTDATED_MS;
  private readonly session: Session | undefined;

  constructor(config?: string | SessionConfig) {
    super(config);
    if (typeof config === 'object') this.session = config.session;
    const { connection } = this as unknown as { connection: Connection };
    if (!this.session) mark(connection);
    connection.on('refusal', (error: DatabaseError) => {
      const { code = '' } = error;
      const isSetting = OF_SESSION.has(code) && this.isOlderThan(OUTDATED_MS);
      if (isRaised(error) || !(isSetting || (mayBeOutdated(code) && this.isOld))) return;
      this.isOutdated = true;
      this.outdatedMs = isSetting ? OUTDATED_MS : POOLED_MS;
    });
  }

  /** A pooler lends sessions of any age. */
  protected override isOlderThan(ms: number): boolean {
    return this.session ? super.isOlderThan(ms) : performance.now() - foundYoungAt > YOUNG_MS;
  }

  /**
   * PostgreSQL does not notice a closed connection while a commit waits for a standby, or a server process hangs, and each
   * replacement would be one more server process. So the connection stays until the server has answered, and its pool
   * counts it. `StallWatch` closes it earlier if no server process works on the answer, which a pooler hides in part: of
   * an answer that stops within a message, the rest may never be read.
   */
  override abandon(answers: number, after: () => void): void {
    const { connection, readyForQuery: isIdle } = this as unknown as {
      connection: Connection;
      readyForQuery: boolean;
    };
    const mayBeUnreadable = !this.session && isWithinMessage(connection);
    if (isIdle || connection.stream.closed || mayBeUnreadable) {
      destroyConnection(this, after);
      return;
    }
    this.isAbandoned = true;
    let owed = answers;
    readRows(connection, ignore, ({ name }) => {
      if (name === 'readyForQuery' && --owed === 0) destroyConnection(this);
      return true;
    });
    after();
  }

  /** A pooler, to which a session cannot belong, would lend it to the connection that replaces this one. */
  endSession(after: () => void): void {
    const { readyForQuery: isIdle } = this as unknown as { readyForQuery: boolean };
    if (this.session || !isIdle) {
      after();
      return;
    }
    this.query(endSessionOlderThan(this.outdatedMs), (error: Error | null) => {
      if (!error || isForbidden(error)) foundYoungAt = performance.now();
      after();
    });
  }

  /** A connection counts as made once it has told its server, unless the server refuses to. */
  override connect(callback?: unknown): never {
    const connect = super.connect.bind(this) as (callback?: Callback) => never;
    if (!this.session || !isCallback(callback)) return connect(callback as Callback);
    return connect((error) => {
      if (error) callback(error);
      else
        this.query(ASK_SERVER, (failure: Error | null, result?: pg.QueryResult<{ server: string }>) => {
          this.server = result?.rows[0]?.server;
          const isEnding = failure instanceof DatabaseError && failure.code?.startsWith('57P');
          if (isEnding) destroyConnection(this);
          callback(isClosed(this) ? failure : null);
        });
    });
  }

  /** Startup parameters override the settings of the role and the database. */
  getStartupConf(): Record<string, string> {
    const { options = '', ...others } = getStartupConf.call(this);
    const all = this.session ? `${this.session.options} ${options}` : options;
    return { ...others, ...(all && { options: all }), ...STYLES };
  }

  override query(...args: unknown[]): never {
    const run = super.query.bind(this) as (...args: unknown[]) => unknown;
    const callback = args.at(-1);
    if (isCallback(callback)) {
      const settle: Callback = (error, result) => this.settle(error, () => callback(error, result));
      return run(...args.slice(0, -1), settle) as never;
    }
    const result = run(...args);
    if (!isPromise(result)) return result as never;
    return result.catch(
      (error: Error) => new Promise((_resolve, reject) => this.settle(error, () => reject(error))),
    ) as never;
  }

  private settle(error: Error | null, settle: () => void): void {
    if (error?.message === 'Query read timeout') this.abandon(1, settle);
    else settle();
  }
}

/** Both of pg's ways to send a statement. */
function mark(connection: Connection): void {
  const parse = connection.parse.bind(connection);
  const query = connection.query.bind(connection);
  connection.parse = (statement, more) => parse({ ...statement, text: PROCESS_MARK + statement.text }, more);
  connection.query = (text) => query(PROCESS_MARK + text);
}

function isForbidden(error: Error): boolean {
  return error instanceof DatabaseError && error.code === '42501';
}

export function isCallback(value: unknown): value is Callback {
  return typeof value === 'function';
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as Promise<unknown> | undefined)?.catch === 'function';
}
