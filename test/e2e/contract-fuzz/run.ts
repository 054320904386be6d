import fc from 'fast-check';

const DEFAULT_CASES = 400;
const PROGRESS_MS = 5_000;
const MESSAGE_LENGTH = 2_000;

/** How the run was asked for: `FUZZ_SEED=… FUZZ_CASES=… FUZZ_PATH=…`. */
export const FUZZ = {
  seed: Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31)),
  cases: Number(process.env['FUZZ_CASES'] ?? DEFAULT_CASES),
  path: process.env['FUZZ_PATH'],
};
const long = FUZZ.cases > DEFAULT_CASES;

/** Time enough for any share of the cases, also on a machine that is busy. */
export const TIMEOUT_MS = 60_000 + FUZZ.cases * 100;

const done = { properties: 0, cases: 0, shownAt: Date.now(), startedAt: Date.now() };

/**
 * Holds a property against its share of all cases. The first counterexample is made as small as it can be, and shown
 * as commands to paste, with what it takes to run it again.
 */
export async function expectAlways<T>(
  name: string,
  { share, values, show }: { share: number; values: fc.Arbitrary<T>; show: (value: T) => string },
  holds: (value: T) => Promise<void>,
): Promise<void> {
  const property = fc.asyncProperty(values, async (value) => {
    progress(name);
    await holds(value);
  });
  const result = await fc.check(property, {
    seed: FUZZ.seed,
    numRuns: Math.max(1, Math.round(FUZZ.cases * share)),
    ...(FUZZ.path !== undefined && { path: FUZZ.path }),
  });
  done.properties++;
  if (!result.failed) return;
  const { counterexample, counterexamplePath, errorInstance, numShrinks, seed } = result;
  throw new Error(
    [
      `${name}: refuted by case ${result.numRuns}, made smaller ${numShrinks} times.`,
      counterexample ? show(counterexample[0]) : 'No values could be made.',
      messageOf(errorInstance),
      `Again: FUZZ_SEED=${seed} FUZZ_PATH=${counterexamplePath} npm test -- test/e2e/contract-fuzz -t '${name}'`,
    ].join('\n\n'),
  );
}

/** A message that can be read: of a long one its beginning. */
function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.length > MESSAGE_LENGTH ? `${message.slice(0, MESSAGE_LENGTH)} …` : message;
}

function progress(name: string): void {
  done.cases++;
  if (!long || Date.now() - done.shownAt < PROGRESS_MS) return;
  done.shownAt = Date.now();
  say(`${done.cases} of about ${FUZZ.cases} cases, ${seconds()} s: ${name}`);
}

/** What was done, at the end of a long run. */
export function summary(requests: number): void {
  if (!long) return;
  say(
    `${done.cases} cases of ${done.properties} properties, ${requests} requests, ${seconds()} s; FUZZ_SEED=${FUZZ.seed} FUZZ_CASES=${FUZZ.cases}`,
  );
}

function seconds(): string {
  return ((Date.now() - done.startedAt) / 1000).toFixed(1);
}

function say(line: string): void {
  process.stderr.write(`fuzz: ${line}\n`);
}
