import fc from 'fast-check';

const DEFAULT_CASES = 400;
const PROGRESS_MS = 5_000;
const MESSAGE_LENGTH = 2_000;

/** The settings of the run: `FUZZ_SEED=… FUZZ_CASES=… FUZZ_PATH=…`. */
export const FUZZ = {
  seed: Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31)),
  cases: Number(process.env['FUZZ_CASES'] ?? DEFAULT_CASES),
  path: process.env['FUZZ_PATH'],
};
const long = FUZZ.cases > DEFAULT_CASES;

/** Generous enough for a busy machine. */
export const TIMEOUT_MS = 60_000 + FUZZ.cases * 100;

const done = { properties: 0, cases: 0, shownAt: Date.now(), startedAt: Date.now() };

/**
 * Checks a property with its share of all cases. A counterexample is shrunk, then reported as shell commands and with
 * the settings that reproduce it.
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
    // Leaves time to report what was found, although it could be shrunk further.
    interruptAfterTimeLimit: TIMEOUT_MS - 20_000,
    markInterruptAsFailure: true,
    ...(FUZZ.path !== undefined && { path: FUZZ.path }),
  });
  done.properties++;
  if (!result.failed) return;
  const { counterexample, counterexamplePath, errorInstance, numShrinks, seed } = result;
  throw new Error(
    [
      `${name}: failed in case ${result.numRuns}, shrunk ${numShrinks} times.`,
      counterexample ? show(counterexample[0]) : 'No values could be generated.',
      messageOf(errorInstance),
      `To reproduce: FUZZ_SEED=${seed} FUZZ_PATH=${counterexamplePath} npm test -- test/e2e/contract-fuzz -t '${name}'`,
    ].join('\n\n'),
  );
}

/** Truncates long messages. */
function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.length > MESSAGE_LENGTH ? `${message.slice(0, MESSAGE_LENGTH)} …` : message;
}

function progress(name: string): void {
  done.cases++;
  if (!long || Date.now() - done.shownAt < PROGRESS_MS) return;
  done.shownAt = Date.now();
  say(`${done.cases} cases, ${seconds()} s: ${name}`);
}

/** Prints the totals of a long run. */
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
