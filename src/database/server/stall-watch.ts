import { DatabaseError } from 'pg';
import { readSockets } from '../../common/patience.js';
import { Availability, type ServerClient } from '../availability.js';
import { destroyConnection } from '../destroy-connection.js';
import { DATABASE_LIMITS } from '../limits.js';
import { DeadGuesses } from './dead-guesses.js';

const EVERY_MS = 300;
/** Commits that are late again and again are one incident. */
const QUIET_MS = 5_000;
/** As server processes that hang may do so again. */
const GUESSED_MS = 60_000;

/** Longer than a statement may wait for a lock. Those of answers that are overdue take longer. */
const WORKING_MS = 500;
/** Behind a pooler: the callers of batches of reads that take longer do not wait for them any more. */
const GIVEN_UP_MS = DATABASE_LIMITS.answerMs;
/** Behind a pooler, beyond the time after which an answer is overdue. Few transactions take longer in all. */
const IN_VAIN_MS = 500;

const FORBIDDEN = '42501';
const LOST = 'whose answers got lost.';
const LATE = 'whose answers have not come for some seconds.';

/** A role sees what its own sessions wait for. First the one whose statement is under way for the longest. */
const ask = (
  mark: string,
): string => `${mark}SELECT pid, pid = pg_backend_pid() AS "isOwn", state = 'active' AS "isActive",
    state = 'active' AND least(xact_start, query_start) < clock_timestamp() - interval '${WORKING_MS} ms' AS "isWorking",
    starts_with(query, '${mark}') AS "isMarked", wait_event_type || '/' || wait_event AS event
  FROM pg_stat_activity WHERE usename = session_user AND datname = current_database() AND backend_type = 'client backend'
  ORDER BY query_start`;

/** Ends reads that were given up: a batch may take for seconds. Changes that wait for a standby would count as replicated. */
const endReads = (mark: string, pids: readonly number[]): string => `${mark}SELECT pg_cancel_backend(pid)
  FROM pg_stat_activity WHERE usename = session_user AND datname = current_database() AND state = 'active'
    AND starts_with(query, '${mark}SELECT') AND pid <> pg_backend_pid()
    AND wait_event IS DISTINCT FROM 'SyncRep'
    AND ${mark ? `xact_start < clock_timestamp() - interval '${GIVEN_UP_MS} ms'` : `pid = ANY('{${pids.join()}}')`}`;

interface Session {
  readonly pid: number;
  readonly isOwn: boolean;
  readonly isActive: boolean | null;
  readonly isWorking: boolean | null;
  readonly isMarked: boolean | null;
  readonly event: string | null;
}

type Connections = Pick<Availability, 'overdue' | 'committedAt' | 'recordLostAnswers'>;

interface Queryable {
  readonly processID?: number;
  query(text: string): Promise<{ rows: unknown[] }>;
}

/**
 * Closes connections whose answer will never come, so that others take their places, and logs when a server that answers
 * the heartbeat does not complete statements, such as commits without a standby.
 */
export class StallWatch extends Availability {
  private askAt = -Infinity;
  private overdueAt = -Infinity;
  private readonly guesses = new DeadGuesses();
  /** Why it is not known what the server processes do. */
  private ignorance = '';

  constructor(
    /** In front of the statements of this process, if a pooler hides which they are. */
    private readonly mark = '',
    private readonly everyMs = EVERY_MS,
    private readonly quietMs = QUIET_MS,
  ) {
    super();
  }

  /** Called with every heartbeat. Without a connection of its own, nothing is known about the server processes. */
  watch(of: Connections, client?: Queryable): void {
    const { overdue } = of;
    const now = performance.now();
    if (overdue.size > 0) this.overdueAt = now;
    else if (now - this.overdueAt >= GUESSED_MS) this.guesses.end();
    if (overdue.size === 0 && now - this.overdueAt >= this.quietMs) this.markAvailable(this.overdueAt);
    if (overdue.size === 0 || now < this.askAt) return;
    this.askAt = now + this.everyMs;
    this.ask(of, client).catch(() => {}); // it asks again
  }

  private async ask(of: Connections, client?: Queryable): Promise<void> {
    const { overdue } = of;
    const before = [...overdue];
    const asked = client ? this.sessionsOf(client) : [];
    const pids = before.flatMap(({ processID }) => processID ?? []);
    client?.query(endReads(this.mark, pids)).catch(() => {}); // where it may not look, they go on
    const sessions = await asked;
    await readSockets(); // an answer may have come meanwhile
    const still = before.filter((each) => overdue.has(each));
    const known = deadOf(still, sessions, client);
    const dead = known ?? (client ? this.guesses.next(still, of.committedAt) : []);
    if (!known && sessions.length > 0) this.tellIgnorance('track_activities is off');
    if (dead.length > 0) this.close(dead, known ? LOST : LATE);
    if (known && dead.length > 0) of.recordLostAnswers();
    if (this.isAway || still.length - dead.length < DATABASE_LIMITS.abandoned) return;
    const longest = sessions.find((each) => each.isActive && isForUs(each));
    this.markAway(`wait event ${longest?.event ?? 'unknown'}`);
  }

  private async sessionsOf(client: Queryable): Promise<Session[]> {
    try {
      return (await client.query(ask(this.mark))).rows as Session[];
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.code !== FORBIDDEN) throw error;
      this.tellIgnorance(error.message);
      return [];
    }
  }

  private tellIgnorance(reason: string): void {
    if (reason === this.ignorance) return;
    this.ignorance = reason;
    this.logger.error(
      `pg_stat_activity does not tell what server processes do, so connections whose answers got lost are closed late: ${reason}`,
    );
  }

  private close(dead: readonly ServerClient[], why: string): void {
    for (const each of dead) destroyConnection(each);
    this.logger.warn(`Dead connections to the database are closed: ${dead.length}, ${why}`);
  }

  protected override logAway(reason: string): void {
    this.logger.error(`The database does not complete statements, which are answered 503: ${reason}`);
  }

  protected override logBack(seconds: string): void {
    this.logger.warn(`The database completes statements again, after ${seconds} s.`);
  }
}

/** A pooler has process ids of its own. */
function isDirect(client: Queryable | undefined, sessions: readonly Session[]): boolean {
  return sessions.some(({ isOwn, pid }) => isOwn && pid === client?.processID);
}

/** What a server process does for this one, except to wait for it. */
function isForUs(session: Session): boolean {
  return session.isMarked === true && !session.isOwn && !waitsForUs(session);
}

/** Also not if a pooler takes comments away. */
function tells(sessions: readonly Session[]): boolean {
  return sessions.some(({ isOwn, isActive, isMarked }) => isOwn && isActive && isMarked);
}

function waitsForUs({ event }: Session): boolean {
  return event?.startsWith('Client/') ?? false;
}

/**
 * `undefined` if that is not known. A pooler hides which server process works for which connection, but not how many work:
 * those beyond that number wait in vain. The others may be commits that wait for a standby, with which few more would wait.
 */
function deadOf(
  overdue: readonly ServerClient[],
  sessions: readonly Session[],
  client: Queryable | undefined,
): ServerClient[] | undefined {
  if (isDirect(client, sessions)) return overdue.filter((each) => isDead(each, sessions));
  if (!client) return undefined;
  const now = performance.now();
  for (const each of overdue) each.hangsSince ??= now;
  if (!tells(sessions)) return undefined;
  const working = sessions.filter((each) => each.isWorking && isForUs(each)).length;
  return overdue
    .filter(({ hangsSince = now }) => hangsSince <= now - IN_VAIN_MS)
    .slice(0, Math.max(0, overdue.length - working));
}

/** If the server process is gone, or waits for us: it received no statement, or its answer was lost. */
function isDead(client: ServerClient, sessions: readonly Session[]): boolean {
  const session = sessions.find(({ pid }) => pid === client.processID);
  if (!session || waitsForUs(session)) return true;
  // In the place of a commit that waits for a standby, the next would wait, too.
  client.hangsSince = session.event === 'IPC/SyncRep' ? undefined : (client.hangsSince ?? performance.now());
  return false;
}
