import { prepare } from './prepare.mjs';
import { refuseArguments } from './support/no-arguments.mjs';
import { root } from './support/root.mjs';

refuseArguments('npm start', 'Settings are variables: PORT=4000 npm start');
await prepare();
process.setSourceMapsEnabled(true);
process.chdir(root); // relative paths in settings refer to the checkout
// Not in a child process, so that signals reach the service and its exit code is ours.
await import('../dist/main.js');
