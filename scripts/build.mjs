import { prepare } from './prepare.mjs';
import { refuseArguments } from './support/no-arguments.mjs';

refuseArguments('npm run build', 'It builds what has changed.');
await prepare();
