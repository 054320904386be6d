import { ApiError } from '../api/errors/api-error.js';

/** How much a client may still do, and for how long. */
export class Allowance {
  readonly remaining: number;
  readonly resetSeconds: number;

  /** `left` is below zero when there was nothing left to take. */
  constructor(
    private readonly left: number,
    resetMs: number,
  ) {
    this.remaining = Math.max(0, left);
    this.resetSeconds = Math.max(1, Math.ceil(resetMs / 1000));
  }

  /** Throws 429 when there was nothing left to take. */
  require(): void {
    if (this.left >= 0) return;
    const { resetSeconds } = this;
    throw new ApiError('rate_limited', `Too many requests. Try again in ${resetSeconds} seconds.`, {
      'retry-after': String(resetSeconds),
    });
  }
}
