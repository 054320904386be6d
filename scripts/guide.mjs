// Executes docs/adding-a-module.md from the first line to the last, in a throw-away copy of the checkout that has other
// generated resources too.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeCopy } from './guide/copy.mjs';
import { generateShapes, testShapes } from './guide/shapes.mjs';
import { readSteps } from './guide/steps.mjs';
import { takeStep } from './guide/take-step.mjs';
import { install } from './prepare.mjs';
import { refuseArguments } from './support/no-arguments.mjs';
import { root } from './support/root.mjs';
import { endLike } from './support/run-child.mjs';
import { say } from './support/say.mjs';

const GUIDE = 'docs/adding-a-module.md';

refuseArguments('npm run guide:check', `It follows ${GUIDE}.`);
await install();
const started = Date.now();
const page = readSteps(readFileSync(join(root, GUIDE), 'utf8'));
const steps = [...generateShapes, ...page, ...testShapes];
const copy = makeCopy();
const end = await follow(steps).finally(() => copy.remove());
endLike(end); // after removing the copy: a signal that interrupted a step ends this process too

async function follow(steps) {
  for (const [i, step] of steps.entries()) {
    const begun = Date.now();
    const end = await takeStep(copy, step).catch(({ message }) => ({ code: 1, output: message }));
    say(`${i + 1}/${steps.length} ${step.title} (${seconds(begun)} s)`);
    if (end.interrupted) return end;
    if (end.code !== 0) {
      say(
        `${end.output.trimEnd()}\n${step.line ? `Line ${step.line} of ${GUIDE}` : step.title} fails as shown above. Correct the page or the code.`,
      );
      return end;
    }
  }
  say(`The guide works as written (${seconds(started)} s).`);
  return { code: 0, interrupted: null };
}

function seconds(since) {
  return ((Date.now() - since) / 1000).toFixed(1);
}
