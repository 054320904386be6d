/** Node.js options for short-lived child processes: they inherit `--liftoff-only`, which shortens start-up. */
export const SHORT_LIVED = process.execArgv.filter((argument) => argument === '--liftoff-only');
