import { defineConfig } from '@playwright/test';
import { environment } from './support/environment';

const root = process.getuid?.() === 0;

export default defineConfig({
  testDir: 'tests',
  outputDir: 'test-results',
  fullyParallel: true,
  workers: 2,
  retries: 0,
  forbidOnly: true,
  // Generous, so that a machine that compiles beside it changes no verdict.
  timeout: 60_000,
  expect: { timeout: 10_000 },
  use: {
    baseURL: environment.baseURL,
    locale: 'en-GB',
    timezoneId: 'UTC',
    // A trace takes a quarter of a test's processor time. To see one: scripts/e2e.sh sign-in --trace on
    trace: 'off',
    screenshot: 'only-on-failure',
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: {
      executablePath: environment.chromium,
      args: [
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
        '--disable-quic',
        ...(root ? ['--no-sandbox'] : []),
      ],
    },
  },
  // Every test runs on the desktop; a tag adds a run on the phone (@phone) or without JavaScript (@no-js), or asks for one of them alone.
  projects: [
    { name: 'desktop', grepInvert: /@only-/, use: { viewport: { width: 1440, height: 900 } } },
    { name: 'phone', grep: /@phone|@only-phone/, use: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true } },
    { name: 'no-javascript', grep: /@no-js|@only-no-js/, use: { viewport: { width: 1440, height: 900 }, javaScriptEnabled: false } },
  ],
});
