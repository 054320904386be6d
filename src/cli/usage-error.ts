/** A mistake of whoever runs a command, told in words that say what to do. */
export class UsageError extends Error {}
