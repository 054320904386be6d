export const DAY_MS = 86_400_000;

/** The time, injected so that tests can set it. */
export class Clock {
  /** Milliseconds since 1970 in UTC. */
  now(): number {
    return Date.now();
  }
}

/** The day of an instant in UTC, such as 2030-12-05. */
export function dayOf(instant: Date | number): string {
  return new Date(instant).toISOString().split('T', 1)[0]!;
}

/** Whether a text is an existing day in this form. `Date.parse` alone would take 2026-02-30, as 2 March. */
export function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) && dayOf(Date.parse(text)) === text;
}
