// Runs the tests of the page in a browser: Playwright's own if it is installed, else the Chromium of the system.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { prepare } from './prepare.mjs';
import { giveUp, root, run } from './support/programs.mjs';

prepare();
const system = spawnSync('which', ['chromium'], { encoding: 'utf8' }).stdout.trim();
const found = process.env.UI_CHROMIUM ?? (existsSync(chromium.executablePath()) ? '' : system || undefined);
if (found === undefined) giveUp('There is no Chromium. Run: npx playwright install chromium');
const playwright = join(root, 'node_modules', '@playwright', 'test', 'cli.js');
const args = [playwright, 'test', '--config', join(root, 'test/ui/playwright.config.ts'), ...process.argv.slice(2)];
process.exitCode = await run(process.execPath, args, { ...process.env, UI_CHROMIUM: found });
