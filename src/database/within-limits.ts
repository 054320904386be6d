import { withTimeout } from '../common/with-timeout.js';
import { DatabaseBusy } from './database-errors.js';
import { DATABASE_LIMITS } from './limits.js';

const LIMIT_MS = DATABASE_LIMITS.waitMs + DATABASE_LIMITS.answerMs;

/** For what follows another part of the same read: all parts together have the time of one. */
export function withinLimits<T>(begun: number, part: Promise<T>): Promise<T> {
  return withTimeout(part, Math.max(1, LIMIT_MS - (performance.now() - begun)), () => {
    throw new DatabaseBusy();
  });
}

/** For a part that waited until its turn: its caller may have been refused meanwhile. */
export function requireTime(begun: number): void {
  if (performance.now() - begun >= LIMIT_MS) throw new DatabaseBusy();
}
