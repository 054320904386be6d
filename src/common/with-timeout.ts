import { giveUpAfter } from './patience.js';

/** Settles like the promise or, when that takes longer, like `onTimeout`. The timer does not keep the process alive. */
export function withTimeout<T>(promise: Promise<T>, ms: number, onTimeout: () => T | Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = (): void => resolve(new Promise((settle) => settle(onTimeout()))); // rejects if it throws
    const cancel = giveUpAfter(ms, late);
    void promise.then(resolve, reject).then(cancel);
  });
}
