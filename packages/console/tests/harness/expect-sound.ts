import { expect } from '@jest/globals'
import type { Page } from 'playwright-core'
import { expectNoAxeViolations } from './expect-no-axe-violations.ts'
import { screenshot } from './screenshot.ts'
import { widthAt390 } from './table.ts'

/** What a page or dialog must hold: axe, nothing cut off at 390 pixels, a picture of both widths. */
export async function expectSound(page: Page, name: string): Promise<void> {
  await expectNoAxeViolations(page)
  await screenshot(page, name)
  expect(await widthAt390(page)).toBeLessThanOrEqual(390)
  await screenshot(page, `${name}-390`)
  await page.setViewportSize({ width: 1280, height: 800 })
}
