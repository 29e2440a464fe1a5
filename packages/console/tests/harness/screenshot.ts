import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

const folder = join(import.meta.dirname, '../../../../docs/screens')

/** Writes `docs/screens/<name>.png` in `npm run screens`, which sets SCREENS; otherwise tests change no files. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (!process.env.SCREENS) return
  mkdirSync(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' })
}
