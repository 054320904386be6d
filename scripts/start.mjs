import { prepare } from './prepare.mjs';

await prepare();
process.setSourceMapsEnabled(true);
// In this process rather than a child: signals reach the service, and its exit code is ours.
await import('../dist/main.js');
