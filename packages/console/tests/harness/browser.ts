import { patienceMs, requireBinary } from '@notify/dev-env'
import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core'

/** The machine's Chromium. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: requireBinary('chromium'),
    timeout: patienceMs,
    // Root may not use Chromium's sandbox; small containers have a small /dev/shm.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  })
}

/** 1280 pixels wide unless said otherwise; nothing moves, so that pictures are alike. */
export const desktop: BrowserContextOptions = {
  viewport: { width: 1280, height: 800 },
  reducedMotion: 'reduce',
  colorScheme: 'light',
  locale: 'en-GB',
  timezoneId: 'UTC',
}
