import { expect } from '@jest/globals'
import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** What axe (WCAG 2.2 AA and best practices) finds, in light and in dark. */
export async function expectNoAxeViolations(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.evaluate(axe.source)
    const found = await page.evaluate(async () => {
      // @ts-expect-error axe is a global of the page
      const { violations } = await globalThis.axe.run(document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      })
      return violations.map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => `${id}: ${nodes[0]?.html}`)
    })
    expect({ colorScheme, found }).toEqual({ colorScheme, found: [] })
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
}
