import { Logger } from '@nestjs/common';
import type { DatabaseError } from 'pg';
import { meaningOfError } from './database-errors.js';
import { DATABASE_LIMITS } from './limits.js';

/** The time without a refusal after which an incident is over. */
const QUIET_MS = 5_000;

/** Single statements wait too long in normal operation. An incident is so many, the last so long after the first. */
const LASTING = { count: 3, ms: 1_000 };

const OVERDUE = 'overdue';

/** The context in which Citus names the node that refused a statement. */
const ON_NODE = /^while executing command on \S+$/;

interface Incident {
  readonly since: number;
  last: number;
  count: number;
  isLogged: boolean;
}

/** Logs each reason of refused statements twice: at its start and, with a count, at its end. */
export class RefusalLog {
  private readonly logger = new Logger('Database');
  private readonly incidents = new Map<string, Incident>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly quietMs = QUIET_MS) {}

  /** `statement` is a name, such as that of a prepared statement. */
  count(error: DatabaseError, statement?: string): void {
    const { code = '' } = error;
    const incident = this.incidentOf(code);
    if (incident.isLogged || (meaningOfError(error) === 'busy' && !isLasting(incident))) return;
    incident.isLogged = true;
    this.logger.error(
      `The database refuses statements${example(statement)}, which are answered 503: ${reasonOf(error)} (${code})`,
    );
  }

  /** An answer did not come in time, although the server answers others. */
  countOverdue(statement?: string): void {
    const incident = this.incidentOf(OVERDUE);
    if (incident.isLogged || !isLasting(incident)) return;
    incident.isLogged = true;
    this.logger.error(
      `The database takes longer than ${DATABASE_LIMITS.answerMs} ms for statements${example(statement)}, which are answered 503`,
    );
  }

  private incidentOf(code: string): Incident {
    const now = performance.now();
    const incident = this.incidents.get(code) ?? { since: now, last: now, count: 0, isLogged: false };
    incident.last = now;
    incident.count++;
    this.incidents.set(code, incident);
    this.timer ??= setInterval(() => this.endQuiet(), this.quietMs).unref();
    return incident;
  }

  private endQuiet(): void {
    const now = performance.now();
    for (const [code, { since, last, count, isLogged }] of this.incidents) {
      if (now - last < this.quietMs) continue;
      this.incidents.delete(code);
      if (!isLogged) continue;
      const seconds = ((last - since) / 1000).toFixed(1);
      const what = code === OVERDUE ? 'is late no longer' : `no longer refuses statements with ${code}`;
      this.logger.warn(`The database ${what}: ${count} in ${seconds} s.`);
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
