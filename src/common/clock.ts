export const DAY_MS = 24 * 60 * 60 * 1000;

/** The current time, injectable for tests. */
export abstract class Clock {
  abstract now(): Date;
}

export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}
