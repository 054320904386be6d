/** What the headers of a deprecated operation announce. */
export interface Deprecation {
  /** Its name in the document, such as `getPet`. */
  readonly operation: string;
  readonly since: Date | undefined;
  /** When the operation ends. */
  readonly sunset: Date | undefined;
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

/** Settings of the client. */
export interface Settings extends Limits {
  /** The base URL of the deployment, ending with `/v1`. */
  readonly baseUrl: string;
  /** The API key, or a function that returns it, which is called for every attempt and allows rotation. */
  readonly apiKey: string | undefined | (() => string | Promise<string>);
  /** Called at the first answer of each operation that announces its end. */
  readonly onDeprecated?: (deprecation: Deprecation) => void;
  /** Replaces the function that sends requests: for proxies, tracing and tests. */
  readonly fetch?: typeof fetch;
}

/** Options of a single call, which override the settings. */
export interface CallOptions extends Limits {
  /** Ends the call at once, whether it is sending, reading or waiting. */
  readonly signal?: AbortSignal;
  /** The `Idempotency-Key` of a change, to repeat a call of which the outcome is unknown. Default: a new one. */
  readonly idempotencyKey?: string;
  /** The id of the request in the service's logs: 1 to 128 characters of `A-Z a-z 0-9 . _ -`. */
  readonly requestId?: string;
}
