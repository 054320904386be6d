import { Logger } from '@nestjs/common';
import type { DatabaseError } from 'pg';

/** How long the server must have refused nothing for the same reason until that counts as over. */
const QUIET_MS = 5_000;

interface Refusal {
  readonly since: number;
  last: number;
  count: number;
}

/** Logs why the server refuses statements: once when it begins and once when it is over, however many there are. */
export class RefusalLog {
  private readonly logger = new Logger('Database');
  private readonly current = new Map<string, Refusal>();
  private watch: NodeJS.Timeout | undefined;

  constructor(private readonly quietMs = QUIET_MS) {}

  count({ code = '', message }: DatabaseError): void {
    const now = performance.now();
    const refusal = this.current.get(code);
    if (refusal) {
      refusal.last = now;
      refusal.count++;
      return;
    }
    this.current.set(code, { since: now, last: now, count: 1 });
    this.logger.error(`The database refuses statements, which are answered 503: ${message} (${code})`);
    this.watch ??= setInterval(() => this.forget(), this.quietMs).unref();
  }

  private forget(): void {
    const now = performance.now();
    for (const [code, { since, last, count }] of this.current) {
      if (now - last < this.quietMs) continue;
      this.current.delete(code);
      const seconds = ((last - since) / 1000).toFixed(1);
      this.logger.warn(`The database no longer refuses statements with ${code}: ${count} in ${seconds} s.`);
    }
    if (this.current.size > 0) return;
    clearInterval(this.watch);
    this.watch = undefined;
  }
}
