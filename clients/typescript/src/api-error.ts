import type { ErrorCode } from './operations.js';

/** Thrown for every answer that is not a success. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    /** The machine-readable cause. Newer services may send codes that this client does not know. */
    readonly code: ErrorCode | 'unreadable_answer' | (string & {}),
    message: string,
    readonly status: number,
    /** The id of the request in the service's logs. Include it when you ask for help. */
    readonly requestId: string | undefined,
    /** The number of seconds to wait before a retry, if the service sent one. */
    readonly retryAfter: number | undefined,
  ) {
    super(message);
  }
}

/** Converts a failed answer. A body without code and message comes from an intermediary, such as a proxy. */
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
