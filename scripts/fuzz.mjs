// Runs the contract fuzzing for long: `npm run fuzz`, or `FUZZ_SEED=1 FUZZ_CASES=50000 npm run fuzz`.
import { giveUp } from './support/say.mjs';

const [argument] = process.argv.slice(2);
if (argument !== undefined && !argument.startsWith('-')) {
  const cases = /^\d+$/.test(argument) ? argument : 50000;
  giveUp(
    `npm run fuzz does not accept "${argument}". Set variables, such as FUZZ_CASES=${cases} npm run fuzz, or select tests with -t listPets.`,
  );
}
process.env.FUZZ_CASES ??= '6000';
process.argv.splice(2, 0, 'test/e2e/contract-fuzz');
await import('./test.mjs');
