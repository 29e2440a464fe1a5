import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { freshUser, sendInAppUntilTaken, untilInbox, userToken } from '@notify/test-kit/inbox'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { countRequests, launchBrowser, openContext, openInbox, violations } from './browser.ts'

let env: TestEnv
let browser: Browser
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'inbox-stream'], {
    withDemoShop: true,
    apart: ['inbox-stream', 'demo-shop'],
  })
  browser = await launchBrowser()
})
const opened: { context: BrowserContext; errors: string[] }[] = []
afterEach(async () => {
  for (const { context, errors } of opened.splice(0)) {
    await context.close()
    expect(errors).toEqual([])
  }
})
afterAll(async () => {
  await browser?.close()
  await env?.stop()
})

/** The browser of a user. */
async function person(options: BrowserContextOptions = {}, user = freshUser()) {
  const made = await openContext(browser, options)
  opened.push(made)
  const url = `${env.urls['demo-shop']}/demo/inbox?user=${user}`
  return { user, context: made.context, tab: () => openInbox(made.context, url), url }
}

const bell = (page: Page) => page.getByRole('button', { name: /^Notifications/ })
const popover = (page: Page) => page.getByRole('dialog', { name: 'Notifications' })
const items = (page: Page) => popover(page).getByRole('listitem')
const unread = (page: Page, count: number) =>
  eventually(async () => expect(await page.getByTestId('unread').textContent()).toBe(String(count)))
const titles = (page: Page, expected: string[]) =>
  eventually(async () => expect(await items(page).locator('.ni-title').allTextContents()).toEqual(expected))

test('a double click sends one notification', async () => {
  const { tab } = await person()
  const page = await tab()
  const sent: string[] = []
  page.on('request', (request) => request.url().endsWith('/demo/send') && sent.push(request.url()))
  const clicked = Promise.withResolvers<void>()
  await page.route('**/demo/send', async (route) => {
    await clicked.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Send to myself' }).dblclick()
  clicked.resolve()
  await unread(page, 1)
  await page.getByRole('status').filter({ hasText: 'Accepted.' }).waitFor()
  expect(sent).toHaveLength(1)
})

test('a notification to oneself arrives live, is announced to screen readers and counted', async () => {
  const { tab } = await person()
  const page = await tab()
  await page.getByLabel('Title').fill('Parcel on its way')
  await page.getByRole('button', { name: 'Send to myself' }).click()
  await unread(page, 1)
  expect(await bell(page).getAttribute('aria-label')).toBe('Notifications, 1 unread')
  await page.getByRole('status').filter({ hasText: 'New notification: Parcel on its way' }).waitFor()
  await bell(page).click()
  await titles(page, ['Unread: Parcel on its way'])
})

test('tabs share one stream; what is read, unread and deleted in one is so in the other', async () => {
  const { user, context, tab } = await person()
  const streams = countRequests(context, '/api/v1/in-app/stream')
  const [one, two] = [await tab(), await tab()]
  await sendInAppUntilTaken(env, user, { title: 'First' })
  await unread(one, 1)
  await sendInAppUntilTaken(env, user, { title: 'Second' })
  for (const page of [one, two]) {
    await unread(page, 2)
    await bell(page).click()
    await titles(page, ['Unread: Second', 'Unread: First'])
  }
  await items(one).filter({ hasText: 'First' }).getByRole('button', { name: 'Mark as read' }).click()
  for (const page of [one, two]) await titles(page, ['Unread: Second', 'First'])
  await unread(two, 1)
  await items(two).filter({ hasText: 'First' }).getByRole('button', { name: 'Mark as unread' }).click()
  await unread(one, 2)
  await popover(two).getByRole('button', { name: 'Mark all as read' }).click()
  await unread(one, 0)
  await items(one).filter({ hasText: 'Second' }).getByRole('button', { name: 'Delete' }).click()
  for (const page of [one, two]) await titles(page, ['First'])
  expect(streams()).toBe(1)
})

test('when the tab with the stream closes, the other one goes on without a gap', async () => {
  const { user, context, tab } = await person()
  const streams = countRequests(context, '/api/v1/in-app/stream')
  const one = await tab()
  const two = await tab()
  await sendInAppUntilTaken(env, user)
  await unread(two, 1)
  await one.close()
  await sendInAppUntilTaken(env, user)
  await unread(two, 2)
  // The inbox is read before the stream is opened.
  await eventually(() => expect(streams()).toBe(2))
})

test('the inbox survives the loss of inbox-stream, and shows what was sent meanwhile', async () => {
  const { user, tab } = await person()
  const page = await tab()
  await sendInAppUntilTaken(env, user)
  await unread(page, 1)
  await env.kill('inbox-stream')
  await page.getByTestId('status').filter({ hasText: 'reconnecting' }).waitFor()
  await bell(page).click()
  await popover(page).getByText('Connection lost').waitFor()
  // A change that cannot be made now is reported and undone.
  await items(page).getByRole('button', { name: 'Mark as read' }).click()
  await popover(page).getByRole('alert').filter({ hasText: 'did not work' }).waitFor()
  await unread(page, 1)
  await sendInAppUntilTaken(env, user, { title: 'Meanwhile' })
  await env.restart('inbox-stream')
  await unread(page, 2)
  await titles(page, ['Unread: Meanwhile', 'Unread: Hi'])
  await page.getByTestId('status').filter({ hasText: 'live' }).waitFor()
})

test('the inbox survives a restart of nats-server', async () => {
  const { user, tab } = await person()
  const page = await tab()
  await sendInAppUntilTaken(env, user)
  await unread(page, 1)
  await env.kill('nats')
  await env.restart('nats')
  await sendInAppUntilTaken(env, user)
  await unread(page, 2)
})

test.each(['light', 'dark'] as const)('axe finds nothing to object to: %s', async (colorScheme) => {
  const { user, context, tab, url } = await person({ colorScheme })
  const page = await tab()
  expect(await violations(page)).toEqual([])
  await bell(page).click()
  await popover(page).getByText('You have no notifications.').waitFor()
  expect(await violations(page)).toEqual([])
  await sendInAppUntilTaken(env, user, { title: 'With a link', data: { action_url: '/orders/1' } })
  await unread(page, 1)
  await items(page).getByRole('button', { name: 'Mark as read' }).click()
  await sendInAppUntilTaken(env, user, { title: 'Without' })
  await unread(page, 1)
  await titles(page, ['Unread: Without', 'With a link'])
  expect(await violations(page)).toEqual([])
  await page.close()
  await context.route('**/demo/token', (route) => route.fulfill({ json: { token: 'refused' } }))
  const denied = await context.newPage()
  await denied.goto(url)
  await bell(denied).click()
  await popover(denied).getByRole('alert').filter({ hasText: 'cannot be loaded' }).waitFor()
  expect(await violations(denied)).toEqual([])
  await context.unroute('**/demo/token')
  await popover(denied).getByRole('button', { name: 'Try again' }).click()
  await titles(denied, ['Unread: Without', 'With a link'])
})

test('everything works by keyboard, and the focus never gets lost', async () => {
  const { user, tab } = await person()
  const page = await tab()
  const token = await userToken(env, user)
  for (const [at, title] of ['One', 'Two', 'Three'].entries()) {
    await sendInAppUntilTaken(env, user, { title })
    await untilInbox(env, token, at + 1)
  }
  await unread(page, 3)
  const focused = (text: string) =>
    eventually(async () => expect(await page.evaluate(() => document.activeElement?.textContent)).toContain(text))
  await bell(page).focus()
  await page.keyboard.press('Enter')
  await titles(page, ['Unread: Three', 'Unread: Two', 'Unread: One'])
  await page.keyboard.press('Tab')
  await focused('Mark all as read')
  await page.keyboard.press('Tab')
  await focused('Three')
  await page.keyboard.press('ArrowDown')
  await focused('Two')
  await page.keyboard.press('End')
  await focused('One')
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  await unread(page, 2)
  await focused('Three')
  // To its second action, which deletes it.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await titles(page, ['Unread: Two', 'Unread: One'])
  await focused('Two')
  await page.keyboard.press('Escape')
  await popover(page).waitFor({ state: 'hidden' })
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toMatch(/^Notifications/)
})

/** `npm run screens` writes the pictures of the documentation. */
const screens = process.env.SCREENS && join(import.meta.dirname, '../../../docs/screens')

test.each([
  ['light', 'ada', 'inbox-light'],
  ['dark', 'grace', 'inbox-dark'],
] as const)('the whole inbox fits into the page: %s', async (colorScheme, name, picture) => {
  const viewport = { width: 900, height: 620 }
  const { user, context, url } = await person({ colorScheme, viewport, deviceScaleFactor: 2 }, name)
  const token = await userToken(env, user)
  const notifications = [
    { title: 'Welcome to Demo Shop', body: 'Good to have you here.' },
    { title: 'Your invoice is ready', body: 'Invoice 2041 over 84.90 EUR.', data: { action_url: '/invoices/2041' } },
    { title: 'Order A-1001 shipped', body: 'It arrives tomorrow.', data: { action_url: '/orders/A-1001' } },
    {
      title: 'Order A-1002 shipped',
      body: 'Your order is on its way.',
      data: { action_url: '/orders/A-1002' },
    },
  ]
  for (const [at, notification] of notifications.entries()) {
    await sendInAppUntilTaken(env, user, notification)
    await untilInbox(env, token, at + 1)
  }
  const page = await openInbox(context, url)
  await bell(page).click()
  for (const title of ['Welcome', 'invoice']) {
    await items(page).filter({ hasText: title }).getByRole('button', { name: 'Mark as read' }).click()
  }
  await unread(page, 2)
  const box = (await popover(page).boundingBox())!
  expect(box.x).toBeGreaterThanOrEqual(0)
  expect(box.x + box.width).toBeLessThanOrEqual(viewport.width)
  expect(box.y + box.height).toBeLessThanOrEqual(viewport.height)
  await page.mouse.move(0, 0)
  if (screens) await page.screenshot({ path: join(screens, `${picture}.png`) })
})

test('the shop takes no calls of other pages', async () => {
  const { status } = await env.call('demo-shop', 'POST', '/demo/send', {
    raw: '{"user_id":"x"}',
    headers: { 'content-type': 'text/plain' },
  })
  expect(status).toBe(415)
})
