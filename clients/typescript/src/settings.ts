import type { Deprecation } from './deprecations.js';

/** Settings of the client. */
export interface Settings extends Limits {
  /** The base URL of the deployment, ending with `/v1`. */
  readonly baseUrl: string;
  /** The API key, or a function that returns it, which is called for every attempt and allows rotation. */
  readonly apiKey: string | undefined | (() => string | Promise<string>);
  /** Called at the first answer of each operation that announces its end. */
  readonly onDeprecated?: (deprecation: Deprecation) => void;
  /** Replaces the function that sends requests: for proxies and tracing. */
  readonly fetch?: typeof fetch;
  /** Replaces the time between attempts: for tests. */
  readonly clock?: Clock;
}

/** Limits of all calls, or of one. */
export interface Limits {
  /** The time-out of one attempt, including reading the answer. Default: 10,000. */
  readonly timeoutMs?: number;
  /** The time-out of a call with all its attempts and waits. Default: 30,000. */
  readonly deadlineMs?: number;
  /** The largest number of repetitions of a call. Default: as many as the deadline allows. */
  readonly retries?: number;
}

/** Options of a single call, which override the settings. */
export interface CallOptions extends Limits {
  /** Ends the call at once, whether it is sending, reading or waiting. */
  readonly signal?: AbortSignal;
  /**
   * The `Idempotency-Key` of a change. Every attempt sends it. By default, each call makes a new one; give one to repeat
   * the call later, or in another process.
   */
  readonly idempotencyKey?: string;
  /** The id of the request in the service's logs: 1 to 128 characters of `A-Z a-z 0-9 . _ -`. */
  readonly requestId?: string;
}

export interface Clock {
  /** Milliseconds that never go back. */
  now(): number;
  /** Rejects with the reason of the signal if that aborts. */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
}
