/** A mistake of the user. The message says what to do, and is printed without a stack. */
export class UsageError extends Error {}
