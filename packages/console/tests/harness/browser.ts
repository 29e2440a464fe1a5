import { installMissing } from '@notify/dev-env'
import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core'
import { requireBinary } from '../../../dev-env/src/binaries/find-binary.ts'

/** The machine's Chromium, installed if it is missing. */
export async function launchBrowser(): Promise<Browser> {
  await installMissing(['chromium'], { onProgress: (text) => process.stderr.write(`${text}\n`) })
  return chromium.launch({
    executablePath: requireBinary('chromium'),
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
