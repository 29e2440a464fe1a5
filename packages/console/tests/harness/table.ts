import type { Locator, Page } from 'playwright-core'

export const rows = (page: Page): Locator => page.locator('tbody tr[data-row]')
export const drawer = (page: Page): Locator => page.getByRole('dialog')

/** The id of the row that has the focus. */
export const focusedRow = (page: Page): Promise<string | undefined> =>
  page.evaluate(() => (document.activeElement as HTMLElement).dataset.row)

/** Presses a key and gives the id of the row that has the focus then. */
export async function rowAfter(page: Page, key: string): Promise<string | undefined> {
  await page.keyboard.press(key)
  return focusedRow(page)
}

/** Checks that a page is not wider than the telephone it is shown on. */
export async function widthAt390(page: Page): Promise<number> {
  await page.setViewportSize({ width: 390, height: 844 })
  return page.evaluate(() => document.documentElement.scrollWidth)
}
