/** What timers can count; they treat more as 1. */
const LONGEST_MS = 2 ** 31 - 1;

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
  const late = new DOMException(`No answer within ${Math.ceil(milliseconds)} ms.`, 'TimeoutError');
  const timer = setTimeout(() => controller.abort(late), Math.min(milliseconds, LONGEST_MS));
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

export async function wait(milliseconds: number, caller: AbortSignal | undefined): Promise<void> {
  const never = new Promise<never>(() => {});
  await limited(milliseconds, caller, () => never).catch(() => caller?.throwIfAborted());
}
