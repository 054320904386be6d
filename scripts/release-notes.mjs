// `npm run --silent release:notes -- v1.2.3` prints what that release has to say. The workflow "release" starts with it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { releaseNotes, versionsOfCheckout } from './release/notes.mjs';
import { root } from './support/root.mjs';
import { giveUp } from './support/say.mjs';

const [tag, ...more] = process.argv.slice(2);
if (!/^v\d/.test(tag ?? '') || more.length > 0) {
  giveUp('Which tag? Usage: npm run --silent release:notes -- v1.2.3');
}
try {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  process.stdout.write(releaseNotes(tag, versionsOfCheckout(), changelog));
} catch (error) {
  giveUp(error.message);
}
