/** How to reach the service. */
export interface Settings {
  /** The address of the deployment, with `/v1` at its end. */
  readonly baseUrl: string;
  /** The key, or a function that gives it: then a rotated key is used from the next attempt on. */
  readonly apiKey: string | (() => string | Promise<string>);
  /** How long one attempt may take, the reading of its answer included. */
  readonly timeoutMs?: number;
  /**
   * How often a request is repeated that was answered with 429 or 503. Only requests that change nothing are: the
   * outcome of any other may be unknown, and repeating it could do it twice.
   */
  readonly retries?: number;
  /** What sends the requests, and what waits between two attempts: for proxies, for traces, for tests. */
  readonly fetch?: typeof fetch;
  readonly wait?: Wait;
}

/** What holds for one call only. */
export interface CallOptions {
  /** Ends the call, also while it waits for the next attempt. */
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly retries?: number;
  /** A name for the request in the logs of the service: 1 to 128 of `A-Z a-z 0-9 . _ -`. */
  readonly requestId?: string;
}

export type Wait = (milliseconds: number, signal?: AbortSignal) => Promise<void>;
