import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';

/** A timer is this late only after a pause of the process, which mostly is one of the whole machine. */
const LATE_MS = 100;
/** For a server that has stood still as well. */
const GRACE_MS = 50;

/**
 * Gives up after a time, unless the function that it returns is called before. Does not keep the process alive. What has
 * come while the process was paused counts as in time, although timers fire first.
 */
export function giveUpAfter(ms: number, giveUp: () => void): () => void {
  const due = performance.now() + ms;
  let isOver = false;
  const end = async (): Promise<void> => {
    await readSockets(due);
    if (!isOver) giveUp();
  };
  const timer = setTimeout(() => void end(), ms).unref();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** Lets the event loop read its sockets. `due`: when the timer should have fired that calls this. */
export async function readSockets(due = Infinity): Promise<void> {
  if (performance.now() - due > LATE_MS) await delay(GRACE_MS, undefined, { ref: false });
  await nextTurn();
  await nextTurn();
}
