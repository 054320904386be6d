import { setTimeout as delay } from 'node:timers/promises';

/** Settles like the promise or, when that takes longer, like `onTimeout`. The timer does not keep the process alive. */
export async function withTimeout<T>(
  promise: Promise<T>,
  ms: number,
  onTimeout: () => T | Promise<T>,
): Promise<T> {
  const settled = new AbortController();
  const timeout = delay(ms, undefined, { ref: false, signal: settled.signal }).then(onTimeout);
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    settled.abort();
  }
}
