import type { Locator, Page } from 'playwright-core'

/** The dialog that asks before something that cannot be taken back. */
export const question = (page: Page): Locator => page.getByRole('alertdialog')
export const button = (page: Page, name: string): Locator => page.getByRole('button', { name, exact: true })
/** What the service makes of the template that is edited. */
export const preview = (page: Page): Locator => page.getByRole('region', { name: 'Preview' })
/** The text of the template that is edited. */
export const text = (page: Page): Locator => page.getByLabel('Text', { exact: true })
