import type { ErrorCode } from './operations.js';

/** An answer that is not a success, as the service explains it. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    /** What went wrong, for programs. A code that is newer than this client is possible. */
    readonly code: ErrorCode | 'unreadable_answer' | (string & {}),
    message: string,
    readonly status: number,
    /** What the logs of the service call the request: to be named when asking for help. */
    readonly requestId: string | undefined,
    /** The number of seconds after which to try again, if the service says so. */
    readonly retryAfter: number | undefined,
  ) {
    super(message);
  }
}

/** Reads a failure. A body that is no Error comes from something between the client and the service. */
export function toApiError(answer: Response, body: unknown): ApiError {
  const { code, message } = (body ?? {}) as { code?: unknown; message?: unknown };
  const explained = typeof code === 'string' && typeof message === 'string';
  return new ApiError(
    explained ? code : 'unreadable_answer',
    explained ? message : `The answer ${answer.status} has no body that this client can read.`,
    answer.status,
    answer.headers.get('x-request-id') ?? undefined,
    secondsOf(answer.headers.get('retry-after')),
  );
}

function secondsOf(header: string | null): number | undefined {
  return header !== null && /^\d+$/.test(header) ? Number(header) : undefined;
}
