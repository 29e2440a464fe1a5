import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

const folder = join(import.meta.dirname, '../../../../docs/screens')

/** Keeps a picture of the page as `docs/screens/<name>.png`; only with SCREENS=1, so that tests change no files. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (!process.env.SCREENS) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' })
}
