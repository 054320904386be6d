import { type ApiError, toApiError } from './api-error.js';
import type { Call, Result, Transport } from './call.js';
import { parseExactly, stringifyExactly } from './exact-json.js';
import type { CallOptions, Settings } from './settings.js';
import { wait } from './wait.js';

const TIMEOUT_MS = 10_000;
/** Temporary refusals; the service sends Retry-After with them. */
const TRANSIENT = new Set([429, 503]);
const CHANGES_NOTHING = new Set(['GET', 'HEAD']);
/** Longer waits are left to the caller. */
const LONGEST_WAIT_S = 60;

/** Sends calls over HTTP, reads the answers, and retries. Independent of any operation. */
export class HttpTransport implements Transport {
  constructor(
    private readonly settings: Settings,
    /** Response members that are 64-bit integers. */
    private readonly int64Members: ReadonlySet<string>,
  ) {}

  async send<T>(call: Call, options: CallOptions = {}): Promise<Result<T>> {
    for (let retries = options.retries ?? this.settings.retries ?? 0; ; retries--) {
      const answer = await this.attempt(call, options);
      const body = readBody(await answer.text(), this.int64Members);
      if (answer.ok && body !== undefined) return { body: body as T, headers: answer.headers };
      const error = toApiError(answer, body);
      if (retries <= 0 || !isWorthAnother(call, error)) throw error;
      await (this.settings.wait ?? wait)((error.retryAfter ?? 1) * 1000, options.signal);
    }
  }

  private async attempt(call: Call, options: CallOptions): Promise<Response> {
    const { apiKey, baseUrl } = this.settings;
    const timeout = AbortSignal.timeout(options.timeoutMs ?? this.settings.timeoutMs ?? TIMEOUT_MS);
    const send = this.settings.fetch ?? fetch;
    return send(`${baseUrl.replace(/\/$/, '')}${call.path}${searchOf(call.query)}`, {
      method: call.method,
      headers: {
        authorization: `Bearer ${typeof apiKey === 'string' ? apiKey : await apiKey()}`,
        ...(options.requestId !== undefined && { 'x-request-id': options.requestId }),
        ...(call.body && { 'content-type': 'application/json' }),
      },
      ...(call.body && { body: stringifyExactly(call.body) }),
      // The service sends no redirects, and one could forward the key to another host.
      redirect: 'error',
      signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
    });
  }
}

function isWorthAnother({ method }: Call, { status, retryAfter = 1 }: ApiError): boolean {
  return CHANGES_NOTHING.has(method) && TRANSIENT.has(status) && retryAfter <= LONGEST_WAIT_S;
}

function readBody(text: string, int64Members: ReadonlySet<string>): unknown {
  try {
    return parseExactly(text, int64Members);
  } catch {
    return undefined;
  }
}

function searchOf(query: object = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.append(name, String(value));
  }
  return String(search) && `?${String(search)}`;
}
