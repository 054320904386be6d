import { setImmediate as nextTurn } from 'node:timers/promises';

/** Lets the event loop read its sockets: after a pause of the process, timers fire before the answers that have arrived. */
export async function readSockets(): Promise<void> {
  await nextTurn();
  await nextTurn();
}
