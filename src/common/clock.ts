export const DAY_MS = 86_400_000;

/** The time, injected so that tests can set it. */
export class Clock {
  /** In milliseconds since 1970. */
  now(): number {
    return Date.now();
  }
}

/** A day of UTC, such as 2030-12-05. */
export function dayOf(instant: Date | number): string {
  return new Date(instant).toISOString().split('T', 1)[0]!;
}

/** Whether a text is such a day. `Date` refuses 30 February, or turns it into 1 or 2 March. */
export function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) && dayOf(Date.parse(text)) === text;
}
