import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import type { Page } from 'playwright-core'
import { ConsoleHarness } from './harness/console.ts'
import { expectNoAxeViolations } from './harness/expect-no-axe-violations.ts'
import { screenshot } from './harness/screenshot.ts'

let harness: ConsoleHarness
beforeAll(async () => {
  harness = await ConsoleHarness.start(['gateway', 'dispatch', 'callbacks'])
}, 180_000)
afterEach(async () => expect(await harness.leave()).toEqual([]))
afterAll(() => harness?.stop())

const rows = (page: Page) => page.getByRole('table', { name: 'Activity' }).locator('tbody tr[data-row]')
const drawer = (page: Page) => page.getByRole('dialog')
let sent = 0

/** Sends an SMS; the sandbox refuses some numbers. */
async function send(phone = `+1415555${String(1000 + sent++)}`): Promise<string> {
  const body = { channel: 'sms', event_key: 'order.shipped', recipient: { phone }, data: { name: 'Ada', order: 'A-1' } }
  const answer = await harness.env.api('POST', '/api/v1/notifications', { body })
  expect(answer.status).toBe(202)
  return answer.body.notification_id
}

test('what is sent through the API appears within 6 s, and opens with its attempts', async () => {
  const page = await harness.signIn({ path: '/activity' })
  const id = await send()
  await page.locator(`tr[data-row="${id}"]`).waitFor({ timeout: 6000 })
  await page.locator(`tr[data-row="${id}"]`).click()
  await drawer(page).getByText('Attempt 1').waitFor()
  await drawer(page).getByText('Accepted by the carrier').waitFor()
  expect(page.url()).toBe(harness.url(`/activity/${id}`))
  await expectNoAxeViolations(page)
  await screenshot(page, 'activity-detail')
})
