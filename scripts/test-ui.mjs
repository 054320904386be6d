import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { requireTool } from './support/tool.mjs';
import { prepare } from './prepare.mjs';
import { root } from './support/root.mjs';
import { endLike, runChild } from './support/run-child.mjs';
import { giveUp, say } from './support/say.mjs';

await prepare();
const playwright = join(root, 'node_modules', '@playwright', 'test', 'cli.js');
const env = { ...process.env, UI_CHROMIUM: process.env.UI_CHROMIUM ?? (await findChromium()) };
const args = [playwright, 'test', '--config', 'test/ui/playwright.config.ts', ...process.argv.slice(2)];
endLike(await runChild(process.execPath, args, { cwd: root, env, stdio: 'inherit' }));

/** Playwright's own browser if installed, otherwise the system's Chromium, which is installed on Debian if missing. */
async function findChromium() {
  const { chromium } = await import('@playwright/test');
  if (existsSync(chromium.executablePath())) return '';
  try {
    requireTool({ progress: say }, 'chromium');
  } catch {
    giveUp('Chromium is not installed. Run: npx playwright install chromium');
  }
  return spawnSync('which', ['chromium'], { encoding: 'utf8' }).stdout.trim();
}
