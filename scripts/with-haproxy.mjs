// Runs a command with the HAProxy of the deployment, for tests that skip without it:
// `node scripts/with-haproxy.mjs -- npm test -- proxy`.
import { requireHaproxy } from './support/haproxy.mjs';
import { endLike, runChild } from './support/run-child.mjs';
import { giveUp, say } from './support/say.mjs';

const [command, ...args] = process.argv.slice(process.argv[2] === '--' ? 3 : 2);
if (!command) giveUp('Which command? Usage: node scripts/with-haproxy.mjs -- <command> [arguments …]');

try {
  await requireHaproxy({ progress: say });
} catch (error) {
  giveUp(error.message);
}
endLike(await runChild(command, args, { stdio: 'inherit' }));
