/** What is known about a change that did not succeed. A read changes nothing: it is always `not done`. */
export type Outcome = 'not done' | 'unknown';

/** The client's own codes, beside those of the service. */
export type ClientCode = 'no_answer' | 'not_sent' | 'unreadable_answer';

/** What one attempt tells that did not succeed. */
export interface Failure {
  readonly code: ClientCode | (string & {});
  readonly message: string;
  readonly outcome: Outcome;
  readonly status?: number;
  readonly requestId?: string;
  readonly retryAfter?: number;
  readonly cause?: unknown;
}

const TRANSIENT = new Set([408, 429, 500, 502, 503, 504]);
/** Errors of Node.js before there is a connection. Browsers do not tell. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/** Whether the same request can succeed later. */
export function isTransient({ code, status }: Failure): boolean {
  return code === 'no_answer' || (status !== undefined && TRANSIENT.has(status));
}

/** An answer that is no success, or that cannot be read. A body without code and message comes from a proxy. */
export function refused(answer: Response, body: unknown): Failure {
  const { code, message } = (body ?? {}) as { code?: unknown; message?: unknown };
  const explained = typeof code === 'string' && typeof message === 'string';
  const { headers, status } = answer;
  return {
    code: explained ? code : 'unreadable_answer',
    message: explained ? message : `The answer ${status} has no body that this client can read.`,
    // The service refuses with 4xx before it changes anything. A 503 may also end a change whose commit nobody saw.
    outcome: status >= 400 && status < 500 ? 'not done' : 'unknown',
    status,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter: secondsOf(headers),
  };
}

/** The connection failed, or the time was over. */
export function notAnswered(cause: unknown): Failure {
  const { code } = (cause as { cause?: { code?: string } } | null | undefined)?.cause ?? {};
  const outcome = code !== undefined && NOT_CONNECTED.has(code) ? 'not done' : 'unknown';
  const message = `No answer: ${reasonOf(cause)}${code === undefined ? '' : ` (${code})`}`;
  return { code: 'no_answer', message, outcome, cause };
}

/** The request could not be made: the function `apiKey` failed, or its result is no key. */
export function notSent(cause: unknown): Failure {
  return { code: 'not_sent', message: `Nothing was sent: ${reasonOf(cause)}`, outcome: 'not done', cause };
}

/** `Retry-After` in seconds. A date is compared with the service's own clock. */
function secondsOf(headers: Headers): number | undefined {
  const header = headers.get('retry-after') ?? '';
  if (/^\d+$/.test(header)) return Number(header);
  const now = Date.parse(headers.get('date') ?? '') || Date.now();
  const seconds = (Date.parse(header) - now) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(0, Math.ceil(seconds));
}

function reasonOf(cause: unknown): string {
  return (cause as Partial<Error> | null | undefined)?.message ?? String(cause);
}
