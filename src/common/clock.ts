export const DAY_MS = 24 * 60 * 60 * 1000;

/** Such as 2026-11-21. Years beyond 9999 have a sign and six digits. */
export function dayOf(date: Date): string {
  return date.toISOString().replace(/T.*/, '');
}

/** The current time, injectable for tests. */
export abstract class Clock {
  abstract now(): Date;
}

export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}
