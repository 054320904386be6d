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
  /** How long a client may leave an answer lying, taking nothing of it. */
  stalledMs: 8_000,
  /** How much of all answers may wait to be read by clients. Each byte takes up to five: as a string, and encoded. */
  unsentBytes: 64 * 1_048_576,
  connections: 10_000,
  /** How many connections may wait to be accepted: in a rush, those beyond are lost, and their clients wait seconds. */
  backlog: 4_096,
  /** How long a connection may be silent when more than half of the connections are in use. */
  silentMs: 12_000,
  /** How many requests a client may send on a connection without waiting for their answers. */
  pipelined: 100,
  /** How many requests of all clients may wait for the answers before them. */
  pipelinedInAll: 20_000,
} as const;
