import { ApiError } from '../api/errors/api-error.js';

/** What a client has left of a limit, and when the limit resets. */
export class Allowance {
  readonly remaining: number;
  readonly resetSeconds: number;

  /** `left` is negative when the limit is exceeded. */
  constructor(
    private readonly left: number,
    resetMs: number,
  ) {
    this.remaining = Math.max(0, left);
    this.resetSeconds = Math.max(1, Math.ceil(resetMs / 1000));
  }

  /** Throws 429 when the limit is exceeded. */
  throwIfExceeded(): void {
    if (this.left >= 0) return;
    const { resetSeconds } = this;
    throw new ApiError('rate_limited', `Too many requests. Try again in ${resetSeconds} seconds.`, {
      'retry-after': String(resetSeconds),
    });
  }
}
