import { prepare } from './prepare.mjs';
import { refuseArguments } from './support/no-arguments.mjs';

refuseArguments('npm run build', 'It builds only if the sources have changed.');
await prepare();
