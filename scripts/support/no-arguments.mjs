import { giveUp } from './say.mjs';

/** Refuses arguments, because an ignored one would look as if it had an effect. */
export function refuseArguments(command, advice) {
  const [argument] = process.argv.slice(2);
  if (argument !== undefined) giveUp(`${command} takes no arguments, but got "${argument}". ${advice}`);
}
