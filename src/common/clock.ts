export const DAY_MS = 24 * 60 * 60 * 1000;

/** The time of day, injected so that a test can move it. */
export abstract class Clock {
  abstract now(): Date;
}

export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}
