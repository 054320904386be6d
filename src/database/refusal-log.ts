import { Logger } from '@nestjs/common';
import type { DatabaseError } from 'pg';

/** The time without a refusal after which an incident is over. */
const QUIET_MS = 5_000;

interface Incident {
  readonly since: number;
  last: number;
  count: number;
}

/** Logs each reason of refused statements twice: at its start and, with a count, at its end. */
export class RefusalLog {
  private readonly logger = new Logger('Database');
  private readonly incidents = new Map<string, Incident>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly quietMs = QUIET_MS) {}

  count(error: DatabaseError): void {
    const { code = '' } = error;
    const now = performance.now();
    const incident = this.incidents.get(code);
    if (incident) {
      incident.last = now;
      incident.count++;
      return;
    }
    this.incidents.set(code, { since: now, last: now, count: 1 });
    this.logger.error(
      `The database refuses statements, which are answered 503: ${reasonOf(error)} (${code})`,
    );
    this.timer ??= setInterval(() => this.endQuiet(), this.quietMs).unref();
  }

  private endQuiet(): void {
    const now = performance.now();
    for (const [code, { since, last, count }] of this.incidents) {
      if (now - last < this.quietMs) continue;
      this.incidents.delete(code);
      const seconds = ((last - since) / 1000).toFixed(1);
      this.logger.warn(`The database no longer refuses statements with ${code}: ${count} in ${seconds} s.`);
    }
    if (this.incidents.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}

/** PostgreSQL's own messages name objects and files. Two kinds may quote client values. */
function reasonOf({ code, message, where }: DatabaseError): string {
  if (code === '22P02') return 'a value does not have the syntax of its type';
  return where === undefined ? message : 'a function of the database raised an error';
}
