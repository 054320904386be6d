/** What the service takes at most. Larger requests are refused before anything else is done with them. */
export const LIMITS = {
  bodyBytes: 16_384,
  urlBytes: 8_192,
  headerBytes: 16_384,
  /** How long a client may take to send its headers, and its whole request. */
  headersMs: 8_000,
  requestMs: 10_000,
  /** Longer than the idle time-out of the usual proxies, so that it is the proxy that closes an idle connection. */
  keepAliveMs: 72_000,
} as const;
