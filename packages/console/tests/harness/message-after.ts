import type { Page } from 'playwright-core'

/** Does something, and waits until the page says so: an equal message of before, which stays for seconds, is no answer. */
export async function messageAfter(page: Page, message: string, act: () => Promise<unknown>): Promise<void> {
  const messages = page.getByRole('region', { name: 'Messages' })
  await messages.evaluate((region) => {
    for (const dismiss of region.querySelectorAll('button')) dismiss.click()
  })
  await messages.getByText(message, { exact: true }).waitFor({ state: 'detached' })
  await act()
  await messages.getByText(message, { exact: true }).waitFor()
}
