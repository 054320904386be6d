import { Injectable } from '@nestjs/common';

export const DAY_MS = 86_400_000;

/** The time, injected so that tests can set it. */
@Injectable()
export class Clock {
  /** In milliseconds since 1970. */
  now(): number {
    return Date.now();
  }
}

/** A day of UTC, such as 2030-12-05. */
export function dayOf(instant: Date | number): string {
  const iso = new Date(instant).toISOString();
  return iso.slice(0, iso.indexOf('T'));
}
