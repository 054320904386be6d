/** Settings of the client. */
export interface Settings {
  /** The base URL of the deployment, ending with `/v1`. */
  readonly baseUrl: string;
  /** The API key, or a function that returns it, which is called for every attempt and allows rotation. */
  readonly apiKey: string | (() => string | Promise<string>);
  /** The time-out of one attempt, including reading the answer. Default: 10,000. */
  readonly timeoutMs?: number;
  /**
   * The number of retries after 429 or 503. Default: 0. Only reads are retried, because the outcome of a write may be
   * unknown, and repeating it could apply it twice.
   */
  readonly retries?: number;
  /** Replaces the functions that send requests and wait between attempts: for proxies, tracing and tests. */
  readonly fetch?: typeof fetch;
  readonly wait?: Wait;
}

/** Options of a single call, which override the settings. */
export interface CallOptions {
  /** Aborts the call, also while it waits to retry. */
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly retries?: number;
  /** The id of the request in the service's logs: 1 to 128 characters of `A-Z a-z 0-9 . _ -`. */
  readonly requestId?: string;
}

export type Wait = (milliseconds: number, signal?: AbortSignal) => Promise<void>;
