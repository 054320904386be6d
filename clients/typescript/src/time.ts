import type { Clock } from './settings.js';

/** What timers can count; they treat more as 1. */
const LONGEST_MS = 2 ** 31 - 1;

export const CLOCK: Clock = {
  now: () => performance.now(),
  wait: (milliseconds, caller) => limited(LONGEST_MS, caller, (signal) => sleep(milliseconds, signal)),
};

/**
 * Runs work that ends after a time or with the caller's signal, even if it ignores its own. AbortSignal.any would keep
 * each signal in the memory of a caller whose own signal lives long.
 */
export async function limited<T>(
  milliseconds: number,
  caller: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  caller?.throwIfAborted();
  const controller = new AbortController();
  const { signal } = controller;
  const stop = () => controller.abort(caller?.reason);
  const timer = setTimeout(
    () =>
      controller.abort(new DOMException(`No answer within ${Math.ceil(milliseconds)} ms.`, 'TimeoutError')),
    Math.min(milliseconds, LONGEST_MS),
  );
  caller?.addEventListener('abort', stop, { once: true });
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  try {
    return await Promise.race([work(signal), aborted]);
  } finally {
    clearTimeout(timer);
    caller?.removeEventListener('abort', stop);
  }
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, Math.min(milliseconds, LONGEST_MS));
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
}
