import { SIZE_LIMITS } from '../common/contract.js';

/** Limits of requests and connections. The edge checks heads before routing, and bodies after the guards. */
export const LIMITS = {
  ...SIZE_LIMITS,
  /** Headers, and chunks of the body: small ones take far more memory than their bytes. */
  headers: 100,
  chunks: 500,
  /** The time for a client to send its headers, and its whole request. */
  headersMs: 8_000,
  requestMs: 10_000,
  /** Longer than the idle time-out of common proxies, so the proxy closes idle connections, not the service. */
  keepAliveMs: 72_000,
  /** Closes a connection whose client reads nothing of a response for this long. */
  stalledMs: 8_000,
  /** Limit on unread response bytes. Memory use can be five times higher: string plus encoded copy. */
  unsentBytes: 64 * 1_048_576,
  connections: 10_000,
  /** The kernel's queue of connections to accept. Beyond it connections are dropped, and clients wait seconds to retry. */
  backlog: 4_096,
  /** Closes a silent connection after this time, once more than half of the connections are in use. */
  silentMs: 12_000,
  /** Pipelined requests of one connection. Large ones count as several. */
  pipelined: 100,
  /** Pipelined requests of all connections. */
  pipelinedInAll: 20_000,
} as const;
