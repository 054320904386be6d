import type { ErrorCode } from './openapi.js';

/** What is known about a change that did not succeed. A read changes nothing: it is always `not done`. */
export type Outcome = 'not done' | 'unknown';

/** The client's own codes, beside those of the service. */
export type ClientCode = 'no_answer' | 'not_sent' | 'unreadable_answer';

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
    { message, cause, ...failure }: Failure,
    /** Whether the change was certainly not made. It takes all attempts into account, not only the last one. */
    readonly outcome: Outcome,
    /** The key of a change. A later call with the same arguments and this key cannot apply it twice. */
    readonly idempotencyKey: string | undefined,
  ) {
    super(message, { cause });
    this.code = failure.code;
    this.status = failure.status;
    this.requestId = failure.requestId;
    this.retryAfter = failure.retryAfter;
  }
}

/** What one attempt tells that did not succeed. */
export type Failure = Pick<ApiError, 'code' | 'message' | 'outcome'> & Partial<ApiError>;

const TRANSIENT = new Set([408, 429, 500, 502, 503, 504]);
/** Errors of Node.js before there is a connection. Browsers do not tell. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/** Whether the same request can succeed later. */
export function isTransient({ code, status }: Failure): boolean {
  return code === 'no_answer' || (status !== undefined && TRANSIENT.has(status));
}

/** An answer that is no success, or that cannot be read. A body without code and message comes from a proxy. */
export function refused({ status, headers }: Response, body: unknown): Failure {
  const { code, message } = (body ?? {}) as { code?: unknown; message?: unknown };
  const explained = typeof code === 'string' && typeof message === 'string';
  return {
    code: explained ? code : 'unreadable_answer',
    message: explained ? message : `The answer ${status} has no body that this client can read.`,
    // The service refuses with 4xx before it changes anything. A 503 may also end a change whose commit nobody saw.
    outcome: status >= 400 && status < 500 ? 'not done' : 'unknown',
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter: Number(headers.get('retry-after')) || undefined,
  };
}

/** The function `apiKey` failed before the request was sent; or the connection did, or the time was over. */
export function notAnswered(cause: unknown, isSent: boolean): Failure {
  if (!isSent) return { code: 'not_sent', message: `Nothing was sent: ${String(cause)}`, outcome: 'not done', cause };
  const { code } = (cause as { cause?: { code?: string } } | undefined)?.cause ?? {};
  const outcome = code !== undefined && NOT_CONNECTED.has(code) ? 'not done' : 'unknown';
  const message = `No answer: ${String(cause)}${code === undefined ? '' : ` (${code})`}`;
  return { code: 'no_answer', message, outcome, cause };
}
