// The long form of the contract fuzzing: `npm run fuzz`, or `FUZZ_SEED=1 FUZZ_CASES=50000 npm run fuzz`.
process.env.FUZZ_CASES ??= '6000';
process.argv.splice(2, 0, 'test/e2e/contract-fuzz');
await import('./test.mjs');
