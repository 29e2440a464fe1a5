import { expect } from '@jest/globals'
import axe, { type RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const rulesOfColour = axe.getRules(tags).filter((rule) => rule.tags.includes('cat.color'))

/** Dark differs from light by its colours alone: all other rules would judge the same again. */
const options: Record<'light' | 'dark', RunOptions> = {
  light: { runOnly: tags },
  dark: { runOnly: { type: 'rule', values: rulesOfColour.map(({ ruleId }) => ruleId) } },
}

/** What axe (WCAG 2.2 AA and best practices) finds, in light and in dark. */
export async function expectNoAxeViolations(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source)
    const found = await page.evaluate(async (chosen) => {
      // @ts-expect-error axe is a global of the page
      const { violations } = await globalThis.axe.run(document, { ...chosen, resultTypes: ['violations'] })
      return violations.map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => `${id}: ${nodes[0]?.html}`)
    }, options[colorScheme])
    expect({ colorScheme, found }).toEqual({ colorScheme, found: [] })
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
}
