import { setImmediate as nextTurn } from 'node:timers/promises';

/** Reads what has arrived. After a pause of the process its timers fire first, although answers are in its sockets. */
export async function readSockets(): Promise<void> {
  await nextTurn();
  await nextTurn();
}
