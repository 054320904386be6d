// The long form of the contract fuzzing: `npm run fuzz`, or `FUZZ_SEED=1 FUZZ_CASES=50000 npm run fuzz`.
import { giveUp } from './support/say.mjs';

const [argument] = process.argv.slice(2);
if (argument !== undefined && !argument.startsWith('-')) {
  const cases = /^\d+$/.test(argument) ? argument : 50000;
  giveUp(
    `npm run fuzz does not know "${argument}". It takes variables, such as FUZZ_CASES=${cases} npm run fuzz, and -t listPets.`,
  );
}
process.env.FUZZ_CASES ??= '6000';
process.argv.splice(2, 0, 'test/e2e/contract-fuzz');
await import('./test.mjs');
