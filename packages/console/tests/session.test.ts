import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import type { Page, Route } from 'playwright-core'
import { ConsoleHarness } from './harness/console.ts'
import { expectNoAxeViolations } from './harness/expect-no-axe-violations.ts'

let harness: ConsoleHarness
beforeAll(async () => {
  harness = await ConsoleHarness.start(['gateway', 'dispatch'], { apart: ['gateway'] })
}, 180_000)
afterEach(async () => expect(await harness.leave()).toEqual([]))
afterAll(() => harness?.stop())

/** Replaces the tokens of the tab by ones that the API and the issuer refuse. */
const spoil = (page: Page, tokens: object) =>
  page.evaluate((replaced) => {
    const key = Object.keys(sessionStorage).find((name) => name.startsWith('oidc.user:'))!
    sessionStorage.setItem(key, JSON.stringify({ ...JSON.parse(sessionStorage.getItem(key)!), ...replaced }))
  }, tokens)
const shown = (page: Page) => page.getByText('Nothing has been sent yet').or(page.getByText('Nothing matches'))

test('a token that the API refuses is renewed silently, and the call is repeated', async () => {
  const page = await harness.signIn({ path: '/activity' })
  await shown(page).waitFor()
  await spoil(page, { access_token: 'expired' })
  const tokens: string[] = []
  page.on('request', (request) => request.url().endsWith('/token') && tokens.push(request.postData() ?? ''))
  await page.reload()
  await shown(page).waitFor()
  expect(tokens).toEqual([expect.stringContaining('grant_type=refresh_token')])
  expect(page.url()).toBe(harness.url('/activity'))
})

test('a session that cannot be renewed leads through the login back to the same page', async () => {
  const page = await harness.signIn({ path: '/activity?status=failed' })
  await shown(page).waitFor()
  await spoil(page, { access_token: 'expired', refresh_token: 'revoked' })
  await page.context().clearCookies()
  await page.reload()
  await page.locator('button[formaction$="operator=demo-operator"]').click()
  await page.waitForURL('**/console/activity?status=failed')
  await shown(page).waitFor()
})

test('who signs out stays signed out, and chooses again whom to be', async () => {
  const page = await harness.signIn({ path: '/activity' })
  await page.getByRole('button', { name: /^Demo/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByText('You are signed out').waitFor()
  await expectNoAxeViolations(page)
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('token')
  await page.reload()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('button[formaction$="operator=demo-operator-no-retry"]').click()
  await shown(page).waitFor()
})

test('the theme is chosen, and kept', async () => {
  const page = await harness.signIn({ path: '/activity' })
  await page.getByRole('button', { name: /^Demo/ }).click()
  await page.getByRole('menuitem', { name: 'Dark theme' }).click()
  const canvas = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
  expect(await canvas()).toBe('rgb(14, 16, 19)')
  await page.reload()
  await shown(page).waitFor()
  expect(await canvas()).toBe('rgb(14, 16, 19)')
})

test('a refusal shows its reason and the request id, and is tried again on demand', async () => {
  const page = await harness.signIn({ path: '/activity?status=lost' })
  const alert = page.getByRole('alert')
  await alert.getByText(/^Request req_/).waitFor()
  await alert
    .getByText(/status/i)
    .first()
    .waitFor()
  await expectNoAxeViolations(page)
  await alert.getByRole('button', { name: 'Try again' }).click()
  await alert.getByText(/^Request req_/).waitFor()
})

test('when the gateway goes away a banner says so, polling slows down, and all comes back by itself', async () => {
  const page = await harness.signIn({ path: '/activity' })
  await shown(page).waitFor()
  let calls = 0
  const away = (route: Route) => {
    calls++
    return route.abort('connectionrefused')
  }
  await page.route('**/api/v1/**', away)
  const banner = page.getByText('The gateway does not answer')
  await banner.waitFor({ timeout: 30_000 })
  await expectNoAxeViolations(page)
  await shown(page).waitFor()
  await page.unroute('**/api/v1/**', away)
  await eventually(async () => expect(await banner.count()).toBe(0), { timeoutMs: 60_000 })
  expect(calls).toBeLessThan(10)
}, 120_000)
