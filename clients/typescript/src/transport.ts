import { type ApiError, toApiError } from './api-error.js';
import type { Call, Result, Transport } from './call.js';
import { type Shapes, parseExactly, stringifyExactly } from './exact-json.js';
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
    private readonly int64: Shapes,
  ) {}

  async send<T>(call: Call, options: CallOptions = {}): Promise<Result<T>> {
    for (let retries = options.retries ?? this.settings.retries ?? 0; ; retries--) {
      const answer = await this.attempt(call, options);
      const text = await answer.text();
      const body = this.readBody(text, answer.ok ? call : undefined);
      const complete = body !== undefined || (call.mayBeEmpty && text === '');
      if (answer.ok && complete) return { body: body as T, headers: answer.headers };
      const error = toApiError(answer, body);
      if (retries <= 0 || !isWorthAnother(call, error)) throw error;
      await (this.settings.wait ?? wait)((error.retryAfter ?? 1) * 1000, options.signal);
    }
  }

  private readBody(text: string, call?: Call): unknown {
    try {
      return parseExactly(text, call?.int64, this.int64);
    } catch {
      return undefined;
    }
  }

  private async attempt(call: Call, options: CallOptions): Promise<Response> {
    const { apiKey, baseUrl } = this.settings;
    const timeout = AbortSignal.timeout(options.timeoutMs ?? this.settings.timeoutMs ?? TIMEOUT_MS);
    const send = this.settings.fetch ?? fetch;
    const body = call.body === undefined ? undefined : stringifyExactly(call.body);
    return send(`${baseUrl.replace(/\/$/, '')}${call.path}${searchOf(call)}`, {
      method: call.method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headersOf(call),
        authorization: `Bearer ${typeof apiKey === 'string' ? apiKey : await apiKey()}`,
        ...(options.requestId !== undefined && { 'x-request-id': options.requestId }),
      },
      ...(body !== undefined && { body }),
      // The service sends no redirects, and one could forward the key to another host.
      redirect: 'error',
      signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
    });
  }
}

function isWorthAnother({ method }: Call, { status, retryAfter = 1 }: ApiError): boolean {
  return CHANGES_NOTHING.has(method) && TRANSIENT.has(status) && retryAfter <= LONGEST_WAIT_S;
}

function headersOf({ headers = {} }: Call): Record<string, string> {
  const present = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present.map(([name, value]) => [name, String(value)]));
}

function searchOf({ query = {}, commaSeparated = [] }: Call): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const values = [value].flat().map((each) => encodeURIComponent(String(each)));
    // An empty list is sent as an empty value: without the parameter, the request would ask for everything.
    const texts = commaSeparated.includes(name) || values.length === 0 ? [values.join(',')] : values;
    return texts.map((text) => `${encodeURIComponent(name)}=${text}`);
  });
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}
