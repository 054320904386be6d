import { join } from 'node:path';
import { endLike, runChild } from '../../scripts/support/run-child.mjs';
import { say } from '../../scripts/support/say.mjs';

/** Runs the short forms of these drills in separate processes and prints which passed. */
export async function runShortDrills(names, args) {
  const outcomes = [];
  for (const name of names) {
    say(`\n=== ${name}`);
    const started = performance.now();
    const program = join(import.meta.dirname, '..', 'run.mjs');
    const ended = await runChild(process.execPath, [program, name, '--short', ...args], { stdio: 'inherit' });
    if (ended.interrupted) {
      endLike(ended);
      await new Promise(() => {}); // the signal ends this process
    }
    outcomes.push({ name, passed: ended.code === 0, seconds: (performance.now() - started) / 1_000 });
  }
  const lines = outcomes.map(
    ({ name, passed, seconds }) =>
      `  ${passed ? 'pass' : 'FAIL'}  ${name.padEnd(24)}${seconds.toFixed(0).padStart(4)} s`,
  );
  process.stdout.write(`\nShort drills:\n${lines.join('\n')}\n`);
  return outcomes.every(({ passed }) => passed);
}
