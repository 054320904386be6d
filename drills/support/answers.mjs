import { percentile } from './statistics.mjs';

export const succeeded = ({ status }) => status === 200 || status === 201;

/** A proper 503 has Retry-After and an Error body. */
export const refusedProperly = ({ status, head, body }) =>
  status === 503 && /\r\nretry-after: *\d+/i.test(head) && isErrorBody(body, status);

/** Not so if it was refused because the machine stood still. */
export const failed = (outcome) => !succeeded(outcome) && !(outcome.isDisturbed && refusedProperly(outcome));

export function isErrorBody(body, status) {
  try {
    const error = JSON.parse(body);
    return (
      Object.keys(error).toSorted().join() === 'code,message,status' &&
      error.status === status &&
      typeof error.code === 'string' &&
      typeof error.message === 'string'
    );
  } catch {
    return false;
  }
}

/** Summarises outcomes: `1,200 × 200, 34 × 503, 1 × ECONNRESET`. */
export function tally(outcomes) {
  const counts = new Map();
  for (const { status, why } of outcomes) counts.set(why ?? status, (counts.get(why ?? status) ?? 0) + 1);
  if (counts.size === 0) return 'none';
  return [...counts].map(([what, times]) => `${times.toLocaleString('en')} × ${what}`).join(', ');
}

export function latencies(outcomes) {
  if (outcomes.length === 0) return 'none';
  const ms = outcomes.map((outcome) => outcome.ms);
  const at = (share) => `${percentile(ms, share).toFixed(0)} ms`;
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, at most ${at(1)}`;
}

export const slowest = (outcomes) => outcomes.reduce((most, { ms }) => Math.max(most, ms), 0);
