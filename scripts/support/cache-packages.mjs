import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './root.mjs';
import { runChild } from './run-child.mjs';

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
        HOST: '127.0.0.1',
        PORT: '0',
        METRICS_PORT: '0',
        NODE_ENV: 'production',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    if (code !== 0) throw new Error(`The built service does not start:\n${output}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
