/** Everything for people goes to stderr: stdout belongs to the command that was asked for. */
export const say = (text) => process.stderr.write(`${text}\n`);

export function giveUp(text) {
  say(text);
  process.exit(1);
}
