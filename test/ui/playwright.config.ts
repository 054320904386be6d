import { defineConfig } from '@playwright/test';

/** `npm run test:ui` names the system's Chromium; Playwright's own browser if empty. */
const executablePath = process.env['UI_CHROMIUM'];

export default defineConfig({
  testDir: '.',
  outputDir: '../../.data/ui-tests',
  globalSetup: './support/start-service.ts',
  fullyParallel: true,
  workers: 2,
  timeout: 60_000,
  expect: { timeout: 20_000 },
  reporter: 'list',
  forbidOnly: Boolean(process.env['CI']),
  use: {
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(executablePath && { executablePath }),
      // Root has no sandbox, and our own page needs none.
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-sync'],
    },
  },
});
