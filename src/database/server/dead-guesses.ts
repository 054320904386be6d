import type { ServerClient } from '../availability.js';
import { DATABASE_LIMITS } from '../limits.js';

const { hungMs, abandoned: SOME } = DATABASE_LIMITS;
/** Longer than statements of requests may take, or wait for a lock. */
const OUTLIVED_MS = 3_000;
/** Between two of them. */
const MOST_MS = 60_000;

/**
 * Which connections may be dead while it is not known what their server processes do. They may also be commits that wait for
 * a standby, and so would those that take their places: so they are few, unless a later commit was answered, which would
 * have waited as well. Server processes may also hang, and what is closed leaves them: so each time it takes twice as long, a
 * minute at most.
 */
export class DeadGuesses {
  private everyMs = OUTLIVED_MS;
  private nextAt = -Infinity;

  /** Called once none has been overdue for long. */
  end(): void {
    this.everyMs = OUTLIVED_MS;
  }

  /** Given the latest beginning of a transaction whose commit was answered. */
  next(overdue: readonly ServerClient[], committedAt: number): ServerClient[] {
    const now = performance.now();
    if (now < this.nextAt) return [];
    const hanging = overdue.filter(({ hangsSince = now }) => hangsSince <= now - OUTLIVED_MS);
    const outlived = hanging.filter(({ hangsSince = now }) => hangsSince < committedAt);
    const others = hanging.filter(({ hangsSince = now }) => hangsSince <= now - hungMs).slice(0, SOME);
    const guessed = outlived.length > 0 ? outlived : others;
    if (guessed.length === 0) return [];
    this.nextAt = now + this.everyMs;
    this.everyMs = Math.min(2 * this.everyMs, MOST_MS);
    return guessed;
  }
}
