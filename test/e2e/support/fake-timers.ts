import { jest } from '@jest/globals';

const ALL = [
  ...(['Date', 'hrtime', 'performance', 'nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
];

/** Fakes these of Jest's timers alone, since connections need the others. `jest.useRealTimers()` ends it. */
export function fakeOnly(...names: (typeof ALL)[number][]): void {
  jest.useFakeTimers({ doNotFake: ALL.filter((each) => !names.includes(each)) });
}
