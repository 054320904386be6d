// `npm run workflows:lint` checks .github/workflows with actionlint.
import { refuseArguments } from './support/no-arguments.mjs';
import { goTool } from './support/other-tools.mjs';
import { root } from './support/root.mjs';
import { endLike, runChild } from './support/run-child.mjs';
import { say } from './support/say.mjs';

refuseArguments('npm run workflows:lint', 'It checks .github/workflows.');
const actionlint = goTool('actionlint', 'github.com/rhysd/actionlint/cmd/actionlint', 'v1.7.12');
// Without the linters that it would use only where they happen to be installed.
const ended = await runChild(actionlint, ['-shellcheck=', '-pyflakes='], { cwd: root, stdio: 'inherit' });
if (ended.code === 0) say('actionlint found no problems in .github/workflows.');
endLike(ended);
