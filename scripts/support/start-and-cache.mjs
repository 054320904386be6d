// Starts the service from dist, ends it, and writes the code that V8 compiled for its packages.
import { setFlagsFromString } from 'node:v8';

setFlagsFromString('--no-flush-bytecode'); // V8 would drop what ran once
const { writeCache } = await import('../../dist/packages.js');
await import('../../dist/main.js'); // resolves when the service is ready
process.on('exit', (code) => {
  setFlagsFromString('--flush-bytecode'); // V8 accepts a cache made with its own flags only
  if (code === 0) writeCache();
});
process.kill(process.pid, 'SIGTERM');
