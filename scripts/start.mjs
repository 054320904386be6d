import { prepare } from './prepare.mjs';
import { refuseArguments } from './support/no-arguments.mjs';
import { root } from './support/root.mjs';

refuseArguments('npm start', 'Settings are variables: PORT=4000 npm start');
await prepare();
process.setSourceMapsEnabled(true);
process.chdir(root); // relative paths in the settings are those of the checkout, wherever it is started from
// In this process rather than a child: signals reach the service, and its exit code is ours.
await import('../dist/main.js');
