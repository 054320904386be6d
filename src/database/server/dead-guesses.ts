import type { ServerClient } from '../availability.js';
import { DATABASE_LIMITS } from '../limits.js';

const { hungMs, abandoned: SOME } = DATABASE_LIMITS;

/**
 * Which connections may be dead while it is not known what their server processes do. They may also be commits that wait for
 * a standby, and so would those that take their places: so they are few, and each time it takes twice as long.
 */
export class DeadGuesses {
  private everyMs = hungMs;
  private nextAt = -Infinity;

  /** Called when none is overdue. */
  end(): void {
    this.everyMs = hungMs;
    this.nextAt = -Infinity;
  }

  next(overdue: readonly ServerClient[]): ServerClient[] {
    const now = performance.now();
    if (now < this.nextAt) return [];
    const some = overdue.filter(({ hangsSince = now }) => hangsSince <= now - hungMs).slice(0, SOME);
    if (some.length === 0) return [];
    this.nextAt = now + this.everyMs;
    this.everyMs *= 2;
    return some;
  }
}
