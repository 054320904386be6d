import { TraceFlags, type SpanContext } from '@opentelemetry/api';

const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-.*)?$/;

/** The span of a caller (W3C Trace Context); undefined when the header is not well-formed. */
export function callerOf(header: unknown): SpanContext | undefined {
  const [whole, traceId, spanId, flags] = (typeof header === 'string' && TRACEPARENT.exec(header)) || [];
  if (!whole || !traceId || !spanId || !flags || (whole.startsWith('00') && whole.length > 55))
    return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true };
}
