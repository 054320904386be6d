import { ApiError } from './api-error.js';
import type { Call, Result, Transport } from './call.js';
import { Deprecations } from './deprecations.js';
import { type Shapes, parseExactly } from './exact-json.js';
import { type Failure, isTransient, notAnswered, notSent, type Outcome, refused } from './failure.js';
import { changesNothing, encode, type EncodedCall } from './request.js';
import type { CallOptions, Settings } from './settings.js';
import { CLOCK, limited } from './time.js';

const TIMEOUT_MS = 10_000;
const DEADLINE_MS = 30_000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;
/** A repetition with less time would probably end without an answer, which says less than the last one. */
const LEAST_ATTEMPT_MS = 200;

/** Sends calls over HTTP, reads the answers, and repeats what can still succeed. Independent of any operation. */
export class HttpTransport implements Transport {
  private readonly deprecations: Deprecations;

  constructor(
    private readonly settings: Settings,
    private readonly int64: Shapes,
  ) {
    if (typeof settings.apiKey !== 'function') requireKey(settings.apiKey);
    this.deprecations = new Deprecations(settings.onDeprecated);
  }

  async send<T>(call: Call, options: CallOptions = {}): Promise<Result<T>> {
    const { settings } = this;
    const { clock = CLOCK } = settings;
    const deadline = clock.now() + (options.deadlineMs ?? settings.deadlineMs ?? DEADLINE_MS);
    const lastStart = deadline - LEAST_ATTEMPT_MS;
    const timeoutMs = options.timeoutMs ?? settings.timeoutMs ?? TIMEOUT_MS;
    const retries = options.retries ?? settings.retries ?? Infinity;
    const request = encode(call, settings.baseUrl, options);
    let outcome: Outcome = 'not done';
    for (let repetition = 0; ; repetition++) {
      const leftMs = Math.min(timeoutMs, deadline - clock.now());
      const result = await this.attempt<T>(call, request, leftMs, options.signal);
      if ('body' in result) return result;
      // One attempt of unknown outcome is enough: a later refusal does not tell what became of it.
      if (!changesNothing(call) && result.outcome === 'unknown') outcome = 'unknown';
      const pauseMs = pauseAfter(repetition, result);
      const isLast = !isTransient(result) || repetition >= retries || clock.now() + pauseMs > lastStart;
      if (!isLast) await clock.wait(pauseMs, options.signal);
      // Timers can be late.
      if (isLast || clock.now() > lastStart) throw new ApiError(result, outcome, request.idempotencyKey);
    }
  }

  private async attempt<T>(
    call: Call,
    request: EncodedCall,
    timeoutMs: number,
    caller: AbortSignal | undefined,
  ): Promise<Result<T> | Failure> {
    let sent = false;
    try {
      return await limited(timeoutMs, caller, async (signal) => {
        const { apiKey, fetch: send = fetch } = this.settings;
        const headers = new Headers(request.headers);
        const key = requireKey(typeof apiKey === 'function' ? await apiKey() : apiKey);
        headers.set('authorization', `Bearer ${key}`);
        sent = true;
        const answer = await send(request.url, {
          method: request.method,
          headers,
          ...(request.body !== undefined && { body: request.body }),
          // The service sends no redirects, and one could forward the key to another host.
          redirect: 'manual',
          signal,
        });
        this.deprecations.notice(call.operation, answer.headers);
        return this.read<T>(call, answer, await answer.text());
      });
    } catch (cause) {
      caller?.throwIfAborted();
      return sent ? notAnswered(cause) : notSent(cause);
    }
  }

  private read<T>(call: Call, answer: Response, text: string): Result<T> | Failure {
    const body = this.parse(text, answer.ok ? call : undefined);
    const isComplete = body !== undefined || (call.mayBeEmpty && text === '');
    const isExpected = isComplete && (!call.isList || Array.isArray(body));
    return answer.ok && isExpected ? { body: body as T, headers: answer.headers } : refused(answer, body);
  }

  private parse(text: string, call?: Call): unknown {
    try {
      return parseExactly(text, call?.int64, this.int64);
    } catch {
      return undefined;
    }
  }
}

/** Grows, and differs between clients, which would otherwise return all at the same moment. */
function pauseAfter(repetition: number, { retryAfter = 0 }: Failure): number {
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** repetition, LONGEST_PAUSE_MS);
  return retryAfter * 1000 + pause * (0.5 + Math.random() / 2);
}

function requireKey(key: string | undefined): string {
  if (key?.trim()) return key;
  throw new TypeError(
    'The API key is missing: "apiKey" is undefined or empty. Is the environment variable set?',
  );
}
