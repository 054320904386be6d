import { ApiError, type Failure, isTransient, notAnswered, refused } from './api-error.js';
import { type Call, encode, type EncodedCall } from './call.js';
import { parseExactly } from './exact-json.js';
import type { Settings } from './settings.js';
import { limited, wait } from './time.js';

type Answer<T> = { readonly body: T; readonly headers: Headers };

const TIMEOUT_MS = 10_000;
const DEADLINE_MS = 30_000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;
/** A repetition with less time would probably end without an answer, which says less than the last one. */
const LEAST_ATTEMPT_MS = 200;

/** Sends calls over HTTP, reads the answers, and repeats what can still succeed. */
export class Transport {
  private readonly reported = new Set<string>();

  constructor(private readonly settings: Settings) {
    if (typeof settings.apiKey !== 'function') requireKey(settings.apiKey);
    if (!/\/v1\/?$/.test(settings.baseUrl)) throw new TypeError(`"baseUrl" must end with /v1: ${settings.baseUrl}`);
  }

  async send<T>(call: Call): Promise<Answer<T>> {
    const deadline = performance.now() + (call.deadlineMs ?? this.settings.deadlineMs ?? DEADLINE_MS);
    const timeoutMs = call.timeoutMs ?? this.settings.timeoutMs ?? TIMEOUT_MS;
    const retries = call.retries ?? this.settings.retries ?? Infinity;
    const request = encode(call, this.settings.baseUrl);
    let outcome: ApiError['outcome'] = 'not done';
    for (let repetition = 0; ; repetition++) {
      const limitMs = Math.min(timeoutMs, deadline - performance.now());
      const result = await this.attempt<T>(request, limitMs, call.signal);
      if ('body' in result) return result;
      // One attempt of unknown outcome is enough: a later refusal does not tell what became of it.
      if (call.method !== 'GET' && result.outcome === 'unknown') outcome = 'unknown';
      const pauseMs = pauseAfter(repetition, result);
      const lastStart = deadline - LEAST_ATTEMPT_MS;
      const isLast = !isTransient(result) || repetition >= retries || performance.now() + pauseMs > lastStart;
      if (!isLast) await wait(pauseMs, call.signal);
      // Timers can be late.
      if (isLast || performance.now() > lastStart) throw new ApiError(result, outcome, request.idempotencyKey);
    }
  }

  private async attempt<T>(call: EncodedCall, limitMs: number, caller?: AbortSignal): Promise<Answer<T> | Failure> {
    const { operation, url, method, headers, body } = call;
    const { apiKey, fetch: send = fetch } = this.settings;
    let isSent = false;
    try {
      return await limited(limitMs, caller, async (signal) => {
        const key = requireKey(typeof apiKey === 'function' ? await apiKey() : apiKey);
        const authorized = new Headers([...headers, ['authorization', `Bearer ${key}`]]);
        signal.throwIfAborted();
        isSent = true;
        // The service sends no redirects, and one could forward the key to another host.
        const answer = await send(url, { method, headers: authorized, body, redirect: 'manual', signal });
        this.noticeDeprecation(operation, answer.headers);
        return read<T>(answer, await answer.text());
      });
    } catch (cause) {
      caller?.throwIfAborted();
      return notAnswered(cause, isSent);
    }
  }

  /** Reports each operation once. */
  private noticeDeprecation(operation: string, headers: Headers): void {
    const { onDeprecated } = this.settings;
    const [deprecation, sunset] = [headers.get('deprecation'), headers.get('sunset')];
    if (!onDeprecated || (deprecation ?? sunset) === null || this.reported.has(operation)) return;
    this.reported.add(operation);
    // The call must not fail because the callback does.
    try {
      const since = deprecation ? new Date(Number(deprecation.slice(1)) * 1000) : undefined;
      onDeprecated({ operation, since, sunset: sunset ? new Date(sunset) : undefined });
    } catch (error) {
      console.error(error); // oxlint-disable-line no-console -- else nobody would learn of it
    }
  }
}

/** A success without a body is only that of an operation which has none, or the body was lost. */
function read<T>(answer: Response, text: string): Answer<T> | Failure {
  try {
    const body = answer.status === 204 ? undefined : answer.ok ? parseExactly(text) : JSON.parse(text);
    return answer.ok ? { body: body as T, headers: answer.headers } : refused(answer, body);
  } catch {
    return refused(answer, undefined);
  }
}

/** Grows, and differs between clients, which would otherwise return all at the same moment. */
function pauseAfter(repetition: number, { retryAfter = 0 }: Failure): number {
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** repetition, LONGEST_PAUSE_MS);
  return retryAfter * 1000 + pause * (0.5 + Math.random() / 2);
}

function requireKey(key: string | undefined): string {
  if (key?.trim()) return key;
  throw new TypeError('The API key is missing: "apiKey" is empty. Is the environment variable set?');
}
