import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { untilActivity } from '@notify/test-kit/activity'
import { post } from '@notify/test-kit/api'
import { freshPhone, send } from '@notify/test-kit/sms'
import type { Page } from 'playwright-core'
import { ConsoleHarness } from './harness/console.ts'
import { expectNoAxeViolations } from './harness/expect-no-axe-violations.ts'
import { layoutShift } from './harness/layout-shift.ts'
import { screenshot } from './harness/screenshot.ts'

let harness: ConsoleHarness
beforeAll(async () => {
  harness = await ConsoleHarness.start(['gateway', 'dispatch', 'callbacks'])
})
afterEach(async () => expect(await harness.leave()).toEqual([]))
afterAll(() => harness?.stop())

/** Numbers that end so are reported as undelivered by the sandbox. */
const undelivered = '0002'
const row = (page: Page, id: string) => page.locator(`tr[data-row="${id}"]`)
const drawer = (page: Page) => page.getByRole('dialog')
const focusedRow = (page: Page) => page.evaluate(() => (document.activeElement as HTMLElement).dataset.row)

test('a message sent through the API appears within 6 s, and opens with its attempts', async () => {
  const page = await harness.signIn({ path: '/activity' })
  await page.getByText('Nothing has been sent yet').waitFor()
  await expectNoAxeViolations(page)
  await page.clock.install()
  await page.reload()
  await page.getByText('Nothing has been sent yet').waitFor()
  // The clock of the page goes on until it hears of this, and never goes back.
  await page.clock.pauseAt(Date.now() + 60_000)
  const id = await send(harness.env, freshPhone())
  await untilActivity(harness.env, id, {})
  // Six seconds of the page, however long the machine takes for its work.
  const asked = page.waitForRequest(/\/api\/v1\/activity\?/)
  await page.clock.runFor(6000)
  await asked
  await page.clock.resume()
  await row(page, id).waitFor()
  await row(page, id).click()
  await drawer(page).getByText('Attempt 1').waitFor()
  await drawer(page).getByText('Accepted by the carrier').waitFor()
  expect(page.url()).toBe(harness.url(`/activity/${id}`))
})

test('a failed message is retried; an operator without the permission sees which one is missing', async () => {
  const id = await send(harness.env, freshPhone(undelivered))
  await untilActivity(harness.env, id, {})
  const other = await harness.signIn({ path: `/activity/${id}`, operator: 'demo-operator-no-retry' })
  const page = await harness.signIn({ path: `/activity/${id}` })
  const retry = drawer(page).getByRole('button', { name: 'Retry' })
  await retry.waitFor()
  await expectNoAxeViolations(page)
  await screenshot(page, 'activity-detail')
  await retry.click()
  await page.getByText('The retry is queued.').waitFor()
  await drawer(page).getByText('Attempt 2').waitFor()
  const refused = drawer(other).getByRole('button', { name: 'Retry' })
  expect(await refused.isDisabled()).toBe(true)
  expect(await refused.getAttribute('title')).toBe('This needs the permission activity:retry')
})

test('a retried message stays queued while the activity lags behind, and a click on an older state is refused', async () => {
  const { env } = harness
  const id = await send(env, freshPhone(undelivered))
  await untilActivity(env, id, { status: 'undelivered' })
  const other = await harness.signIn({ path: `/activity/${id}` })
  const page = await harness.signIn({ path: `/activity/${id}` })
  const retry = (of: Page) => drawer(of).getByRole('button', { name: 'Retry' })
  await Promise.all([retry(page).waitFor(), retry(other).waitFor()])
  const lag = await env.admin.connect()
  try {
    await lag.query('begin; lock table gateway.activity in exclusive mode')
    await retry(page).click()
    await page.getByText('The retry is queued.').waitFor()
    await page.waitForResponse((response) => new URL(response.url()).pathname.endsWith(id))
    const stored = await env.api('GET', `/api/v1/activity/${id}`, { token: env.operatorToken })
    expect(stored.body).toMatchObject({ status: 'undelivered', retry_count: 0 })
    await drawer(page).getByText('Queued', { exact: true }).waitFor()
    expect(await retry(page).count()).toBe(0)
    await retry(other).click()
    await other.getByText(/^Not retried: Retry 1 of this message was requested already/).waitFor()
  } finally {
    await lag.query('rollback')
    lag.release()
  }
  await drawer(page).getByText('Attempt 2').waitFor()
  await retry(page).waitFor()
})

test('a row at 390 pixels has the event and the end of the id, and the whole tag where the mask is cut off', async () => {
  const to = { email: `whole-${crypto.randomUUID()}@a-long-name-of-a-host.example.com` }
  const { body } = await post(harness.env, { channel: 'email', subject: 'Hi', body: 'Hi', recipient: to })
  const page = await harness.signIn({ path: '/activity', options: { viewport: { width: 390, height: 844 } } })
  const cell = page.locator('tbody tr[data-row]').filter({ hasText: 'a-long-name' }).locator('td').first()
  await cell.waitFor()
  const hidden = await cell.evaluate((element) => {
    const tag = element.querySelector('code')!
    return tag.getBoundingClientRect().right - element.getBoundingClientRect().right
  })
  expect(hidden).toBeLessThanOrEqual(0)
  await cell.getByText('No event', { exact: true }).waitFor()
  await cell.getByText(`…${body.notification_id.slice(-6)}`, { exact: true }).waitFor()
})

test('filters stand in the address, and a link shows the same view', async () => {
  await Promise.all([send(harness.env, freshPhone()), send(harness.env, freshPhone(undelivered))])
  const page = await harness.signIn({ path: '/activity' })
  await page.getByLabel('Status', { exact: true }).selectOption('undelivered')
  await page.waitForURL('**/activity?status=undelivered')
  const statuses = () => page.locator('tbody tr[data-row] td:nth-child(4)').allTextContents()
  await eventually(async () => expect(new Set(await statuses())).toEqual(new Set(['Undelivered'])))
  await page.reload()
  await page.locator('tbody tr[data-row]').first().waitFor()
  expect(new Set(await statuses())).toEqual(new Set(['Undelivered']))
  expect(await page.getByLabel('Status', { exact: true }).inputValue()).toBe('undelivered')
  await page.getByLabel('Whole recipient').fill('+14155550199')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await page.waitForURL('**/activity')
})

test('the keyboard alone moves, opens, closes, searches and finds pages', async () => {
  const [first, second] = [await send(harness.env, freshPhone()), await send(harness.env, freshPhone())]
  for (const id of [first, second]) await untilActivity(harness.env, id, {})
  const page = await harness.signIn({ path: '/activity' })
  await row(page, second).waitFor()
  await page.keyboard.press('j')
  expect(await focusedRow(page)).toBe(second)
  await page.keyboard.press('j')
  expect(await focusedRow(page)).toBe(first)
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/activity/${first}`)
  await drawer(page).waitFor()
  await page.keyboard.press('k')
  await page.waitForURL(`**/activity/${second}`)
  // The address changes before the drawer does.
  await row(page, second).and(page.locator('[aria-current]')).waitFor()
  await page.keyboard.press('Escape')
  await drawer(page).waitFor({ state: 'detached' })
  // The list takes keys again once it has the focus.
  await eventually(async () => expect(await focusedRow(page)).toBe(second))
  await page.keyboard.press('/')
  expect(await page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('search')
  await page.keyboard.type('?jk')
  expect(await page.getByLabel('Whole recipient').inputValue()).toBe('?jk')
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Find' }).getByRole('option', { name: 'Activity' }).waitFor()
  await eventually(async () => expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT'))
  await page.keyboard.type('act')
  await expectNoAxeViolations(page)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Find' }).waitFor({ state: 'detached' })
})

test('the list has no violation of axe at 1280 and 390 pixels, nothing is cut off, and nothing moves while it loads', async () => {
  await untilActivity(harness.env, await send(harness.env, freshPhone()), { status: 'delivered' })
  const page = await harness.signIn({ path: '/activity' })
  const again = page.waitForResponse((response) => response.url().includes('/activity?') && response.status() === 304)
  await page.locator('tbody tr[data-row]').first().waitFor()
  expect(await layoutShift(page)).toBeLessThan(0.05)
  await expectNoAxeViolations(page)
  await screenshot(page, 'activity')
  // A poll that brings nothing new transfers nothing, and the rows stay.
  await again
  await page.locator('tbody tr[data-row]').first().waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNoAxeViolations(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await page.getByRole('button', { name: 'Open the navigation' }).click()
  await page.getByRole('dialog', { name: 'Navigation' }).getByRole('link', { name: 'Activity' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})
