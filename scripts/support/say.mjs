/** Writes messages to stderr, because stdout belongs to the command being run. */
export const say = (text) => process.stderr.write(`${text}\n`);

export function giveUp(text, code = 1) {
  say(text);
  process.exit(code);
}
