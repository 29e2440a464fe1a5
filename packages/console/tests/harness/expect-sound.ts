import { expect } from '@jest/globals'
import type { Page } from 'playwright-core'
import { expectNoAxeViolations } from './expect-no-axe-violations.ts'
import { widthAt390 } from './table.ts'

/** Expects of a page or dialog: axe finds nothing, and nothing is cut off at 390 pixels. */
export async function expectSound(page: Page): Promise<void> {
  await expectNoAxeViolations(page)
  expect(await widthAt390(page)).toBeLessThanOrEqual(390)
  await page.setViewportSize({ width: 1280, height: 800 })
}
