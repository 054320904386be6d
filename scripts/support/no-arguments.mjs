import { giveUp } from './say.mjs';

/** An argument that nobody reads would seem to have worked. */
export function refuseArguments(command, advice) {
  const [argument] = process.argv.slice(2);
  if (argument !== undefined) giveUp(`${command} takes no arguments, but got "${argument}". ${advice}`);
}
