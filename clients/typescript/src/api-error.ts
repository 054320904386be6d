import type { ClientCode, Failure, Outcome } from './failure.js';
import type { ErrorCode } from './operations.js';

/** Thrown for every call that does not succeed. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The machine-readable cause. Newer services may send codes that this client does not know. */
  readonly code: ErrorCode | ClientCode | (string & {});
  /** The status of the last answer, if there was one. */
  readonly status: number | undefined;
  /** The id of the request in the service's logs. Include it when you ask for help. */
  readonly requestId: string | undefined;
  /** The number of seconds to wait before a retry, if the service sent one. */
  readonly retryAfter: number | undefined;

  constructor(
    failure: Failure,
    /** Whether the change was certainly not made. It takes all attempts into account, not only the last one. */
    readonly outcome: Outcome,
    /** The key of a change. A later call with the same arguments and this key cannot apply it twice. */
    readonly idempotencyKey: string | undefined,
  ) {
    super(failure.message, { cause: failure.cause });
    this.code = failure.code;
    this.status = failure.status;
    this.requestId = failure.requestId;
    this.retryAfter = failure.retryAfter;
  }
}
