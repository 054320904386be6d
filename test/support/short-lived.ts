/** Programs that tests start live as briefly as the tests do: what Node.js was told about that is passed on. */
export const SHORT_LIVED = process.execArgv.filter((argument) => argument === '--liftoff-only');
