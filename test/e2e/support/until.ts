import { setTimeout as pause } from 'node:timers/promises';

/** Asks until it holds, at a pace that leaves the processor to what is waited for. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(10);
}
