import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './root.mjs';
import { runChild } from './run-child.mjs';

const START_MS = 60_000;
/** What the process itself may need. Settings of the service stay away. */
const inherited = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => ['LD_LIBRARY_PATH', 'PATH', 'TMPDIR'].includes(name)),
);

/**
 * Starts the service once, on an empty embedded database, and keeps the code that V8 compiled for it. Throws what the
 * service said if it does not start.
 */
export async function cachePackages() {
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-'));
  try {
    const program = join(root, 'scripts', 'support', 'start-and-cache.mjs');
    const { code, output } = await runChild(process.execPath, [program], {
      cwd: folder, // without .env
      env: {
        ...inherited,
        HOST: '127.0.0.1',
        PORT: '0',
        METRICS_PORT: '0',
        NODE_ENV: 'production',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: START_MS,
    });
    if (code !== 0)
      throw new Error(`The built service does not start within ${START_MS / 1_000} s:\n${output}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
