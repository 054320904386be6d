import { Logger } from '@nestjs/common';
import type { DatabaseError } from 'pg';
import { meaningOfError } from './database-errors.js';
import { DATABASE_LIMITS } from './limits.js';

const { waitMs, answerMs } = DATABASE_LIMITS;

/** The time without a refusal after which an incident is over. */
const QUIET_MS = 5_000;

/** Single statements wait too long in normal operation. An incident is so many, the last so long after the first. */
const LASTING = { count: 3, ms: 1_000 };

/** What is answered 503 without a word of the server: how it begins, and how it ends. */
const LATE = {
  answer: {
    begins: `The database takes longer than ${answerMs} ms for statements`,
    ends: 'The database is late no longer',
  },
  turn: {
    begins: `Too much load, or a slow database: statements get no turn within ${waitMs} ms`,
    ends: 'Statements get their turn again',
  },
  connection: {
    begins: `Transactions wait longer than ${waitMs} ms for a connection (pg_stat_activity shows what uses them)`,
    ends: 'Transactions get a connection again',
  },
  transaction: {
    begins: 'Transactions take longer than a request may',
    ends: 'Transactions end in time again',
  },
} as const;

export type LateKind = keyof typeof LATE;

/** The context in which Citus names the node that refused a statement. */
const ON_NODE = /^while executing command on \S+$/;

interface Incident {
  /** How the log says that it is over. */
  readonly ends: string;
  readonly since: number;
  last: number;
  count: number;
  isLogged: boolean;
}

/**
 * Logs each reason of refused statements, and of failed work in the background, twice: at its start and, with a count, at
 * its end.
 */
export class RefusalLog {
  private readonly logger = new Logger('Database');
  private readonly incidents = new Map<string, Incident>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly quietMs = QUIET_MS) {}

  /** `statement` is a name, such as that of a prepared statement. */
  count(error: DatabaseError, statement?: string): void {
    const { code = '' } = error;
    const incident = this.incidentOf(code, `The database no longer refuses statements with ${code}`);
    if (incident.isLogged || (meaningOfError(error) === 'busy' && !isLasting(incident))) return;
    incident.isLogged = true;
    this.logger.error(
      `The database refuses statements${example(statement)}, which are answered 503: ${reasonOf(error)} (${code})`,
    );
  }

  /** Something did not come in time, although the server answers others. */
  countLate(kind: LateKind, statement?: string): void {
    const incident = this.incidentOf(kind, LATE[kind].ends);
    if (incident.isLogged || !isLasting(incident)) return;
    incident.isLogged = true;
    this.logger.error(`${LATE[kind].begins}${example(statement)}, which are answered 503`);
  }

  /** Inserts succeed, but each by itself. */
  countUncombined(error: DatabaseError): void {
    const { code = '' } = error;
    const incident = this.incidentOf(`combined ${code}`, 'Inserts were sent row by row');
    if (incident.isLogged) return;
    incident.isLogged = true;
    this.logger.error(
      `Inserts of several rows at once fail, and are sent row by row, which takes longer: ${reasonOf(error)} (${code})`,
    );
  }

  /** Work in the background failed. */
  countUnrecorded(things: string, cause: unknown): void {
    const incident = this.incidentOf(things, `${things} are recorded again. Not recorded`);
    if (incident.isLogged) return;
    incident.isLogged = true;
    this.logger.warn(`${things} are not recorded: ${String((cause as Error).cause ?? cause)}`);
  }

  private incidentOf(reason: string, ends: string): Incident {
    const now = performance.now();
    const incident = this.incidents.get(reason) ?? { ends, since: now, last: now, count: 0, isLogged: false };
    incident.last = now;
    incident.count++;
    this.incidents.set(reason, incident);
    this.timer ??= setInterval(() => this.endQuiet(), this.quietMs).unref();
    return incident;
  }

  private endQuiet(): void {
    const now = performance.now();
    for (const [reason, { ends, since, last, count, isLogged }] of this.incidents) {
      if (now - last < this.quietMs) continue;
      this.incidents.delete(reason);
      if (!isLogged) continue;
      const seconds = ((last - since) / 1000).toFixed(1);
      this.logger.warn(`${ends}: ${count} in ${seconds} s.`);
    }
    if (this.incidents.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}

function example(statement?: string): string {
  return statement ? `, such as "${statement}"` : '';
}

function isLasting({ since, last, count }: Incident): boolean {
  return count >= LASTING.count && last - since >= LASTING.ms;
}

/** PostgreSQL's own messages name objects and files. Two kinds may quote client values. */
function reasonOf({ code, message, where, routine }: DatabaseError): string {
  if (code === '22P02') return 'a value does not have the syntax of its type';
  if (where !== undefined && ON_NODE.test(where)) return `${message}, ${where}`;
  // Of a timeout, `where` names the row.
  return where === undefined || routine === 'ProcessInterrupts'
    ? message
    : 'a function of the database raised an error';
}
