import { defineConfig } from '@playwright/test';

/** Set by scripts/test-ui.mjs; Playwright's own browser if empty. */
const executablePath = process.env['UI_CHROMIUM'];

export default defineConfig({
  testDir: '.',
  outputDir: '../../.data/ui-tests',
  globalSetup: './support/start-service.ts',
  fullyParallel: true,
  workers: 2,
  // For what hangs: a test that takes five seconds has taken more than 30 on a busy machine.
  timeout: 180_000,
  expect: { timeout: 60_000 },
  reporter: 'list',
  forbidOnly: Boolean(process.env['CI']),
  use: {
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(executablePath && { executablePath }),
      args: [
        '--no-sandbox', // unavailable to root, and unnecessary for our own page
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
