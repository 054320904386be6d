import { join } from 'node:path';
import { install } from './prepare.mjs';
import { root } from './support/root.mjs';
import { endLike, runChild } from './support/run-child.mjs';

await install();
const node = [
  '--experimental-vm-modules', // what Jest needs to run ES modules as they are
  '--disable-warning=ExperimentalWarning',
];
const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
endLike(
  await runChild(process.execPath, [...node, jest, ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
  }),
);
