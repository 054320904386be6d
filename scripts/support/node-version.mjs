import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './root.mjs';
import { giveUp } from './say.mjs';

/** Fails early with a clear message, since npm only warns about `engines`. */
export function requireNode() {
  const { name, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  if (satisfies(process.versions.node, engines.node)) return;
  giveUp(
    `${name} needs Node.js ${engines.node}, but this is ${process.version}. Install a newer one from https://nodejs.org/`,
  );
}

/** Supports the semver ranges that `engines` uses: `^1.2.3` and `>=1.2.3`, joined by `||`. */
function satisfies(version, range) {
  const actual = numbers(version);
  return range.split('||').some((clause) => {
    const floor = numbers(clause);
    return isAtLeast(actual, floor) && (!clause.includes('^') || actual[0] === floor[0]);
  });
}

const numbers = (text) => text.match(/\d+/g).slice(0, 3).map(Number);

function isAtLeast(actual, floor) {
  const differs = floor.findIndex((number, index) => number !== actual[index]);
  return differs === -1 || actual[differs] > floor[differs];
}
