import { setTimeout as pause } from 'node:timers/promises';

/** Less than a test may take, which would not stop asking. */
const PATIENCE_MS = 60_000;

/** Asks until it holds, at a pace that leaves the processor to what is waited for. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  const begun = performance.now();
  while (!(await holds())) {
    if (performance.now() - begun > PATIENCE_MS) throw new Error(`In vain: ${String(holds)}`);
    await pause(10);
  }
}
