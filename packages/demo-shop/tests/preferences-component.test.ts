import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { eventually, TestEnv } from '@notify/dev-env'
import { post, postUntilTaken } from '@notify/test-kit/api'
import { addDigest } from '@notify/test-kit/digests'
import { emailOf, emailTo, freshAddress } from '@notify/test-kit/email'
import { freshUser, userToken } from '@notify/test-kit/inbox'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { countRequests, launchBrowser, openContext, openInbox, violations } from './browser.ts'

const topic = 'weekly-news'

let env: TestEnv
let browser: Browser
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'inbox-stream'], {
    withDemoShop: true,
    apart: ['inbox-stream', 'demo-shop'],
  })
  browser = await launchBrowser()
  const translations = { ar: { name: 'أخبار الأسبوع', description: 'ما الجديد' } }
  const channels = ['email', 'in_app']
  await addTopic({ topic_key: topic, name: 'Weekly news', description: 'What is new', channels, translations })
  await addTopic({ topic_key: 'comments', name: 'Comments', channels: ['email', 'in_app'] })
  await addDigest(env, 'comments')
  await addTopic({ topic_key: 'tips', name: 'Tips', kind: 'off', channels })
  await addTopic({ topic_key: 'terms', name: 'Terms', kind: 'required', channels })
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

async function addTopic(body: object): Promise<void> {
  const path = `/api/v1/applications/${env.applicationId}/topics`
  const { status, text } = await postUntilTaken(env, path, body, { token: env.operatorToken })
  expect([status, text]).toEqual([201, expect.any(String)])
}

/** The browser of a user, whose tabs show the preferences. */
async function person(options: BrowserContextOptions = {}, search = '') {
  const user = freshUser()
  const made = await openContext(browser, options)
  opened.push(made)
  const tab = async () => {
    const page = await openInbox(made.context, `${env.urls['demo-shop']}/demo/inbox?user=${user}${search}`)
    await page.locator('.tools > button').click()
    await page.locator('.ni-topic').first().waitFor()
    return page
  }
  return { user, context: made.context, tab }
}

/** A switch, by the name of its group. */
const toggle = (page: Page, group: string, name: string) =>
  page.getByRole('group', { name: group }).getByRole('switch', { name, exact: true })
const isOn = (page: Page, group: string, name: string, on: boolean) =>
  eventually(async () => expect(await toggle(page, group, name).getAttribute('aria-checked')).toBe(String(on)))
const isGreyed = async (page: Page, group: string, name: string) =>
  (await toggle(page, group, name).getAttribute('aria-disabled')) === 'true'
/** Chooses for a user through the API. */
const choose = (user: string, rules: object[]) =>
  eventually(async () =>
    expect((await env.api('PATCH', `/api/v1/users/${user}/preferences`, { body: { rules } })).status).toBe(200),
  )
const choices = async (user: string) =>
  (await env.api('GET', '/api/v1/preferences', { token: await userToken(env, user) })).body.rules

test("the shop shows the topic of its offers, and what is chosen there stops the event's mail", async () => {
  const { user, tab } = await person()
  const page = await tab()
  await page.getByText('New products and discounts').waitFor()
  await toggle(page, 'Weekly offers', 'Email').click()
  await isOn(page, 'Weekly offers', 'Email', false)
  const email = freshAddress()
  await eventually(async () =>
    expect((await env.api('PUT', `/api/v1/users/${user}`, { body: { email } })).status).toBeLessThan(300),
  )
  const offer = { channel: 'email', recipient: { user_id: user }, event_key: 'offers.weekly' }
  await eventually(async () => {
    const refused = await post(env, { ...offer, data: { name: 'Ada', offer: 'A lamp' } })
    expect([refused.status, refused.body.code]).toEqual([422, 'recipient_opted_out'])
  })
})

test('a choice binds, and open tabs follow what another tab, the API and one click change, on one stream', async () => {
  const { user, context, tab } = await person()
  const streams = countRequests(context, '/api/v1/in-app/stream')
  const [one, two] = [await tab(), await tab()]
  await toggle(one, 'Weekly news', 'In the app').click()
  for (const page of [one, two]) await isOn(page, 'Weekly news', 'In the app', false)
  const choice = { topic, channel: 'in_app', state: 'off', source: 'page' }
  await eventually(async () => expect(await choices(user)).toMatchObject([choice]))
  const refused = await postUntilTaken(env, '/api/v1/notifications', {
    channel: 'in_app',
    recipient: user,
    title: 'News',
    body: 'New',
    topic,
  })
  expect([refused.status, refused.body.code]).toEqual([422, 'recipient_opted_out'])
  const rules = [{ topic, channel: 'in_app', state: 'on' }]
  await choose(user, rules)
  for (const page of [one, two]) await isOn(page, 'Weekly news', 'In the app', true)
  const email = freshAddress()
  await eventually(async () =>
    expect((await env.api('PUT', `/api/v1/users/${user}`, { body: { email } })).status).toBeLessThan(300),
  )
  const { recipient: _, ...mail } = emailTo(email, { topic, body: '{{ unsubscribe_url }}', template_data: {} })
  const sent = await postUntilTaken(env, '/api/v1/notifications', { ...mail, recipient: { user_id: user } })
  expect([sent.status, sent.text]).toEqual([202, expect.any(String)])
  const url = (await eventually(() => emailOf(env, email))).text.trim()
  const clicked = await fetch(url, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) })
  expect(clicked.status).toBe(200)
  for (const page of [one, two]) await isOn(page, 'Weekly news', 'Email', false)
  expect(streams()).toBe(1)
})

test('how often a digest comes is chosen for each channel that has one, and kept while the topic is off', async () => {
  const { user, tab } = await person()
  const [one, two] = [await tab(), await tab()]
  const often = (page: Page) => page.getByRole('group', { name: 'Comments' }).getByRole('combobox')
  expect(await one.getByRole('combobox').count()).toBe(1)
  await often(one).selectOption({ label: 'A summary every day' })
  for (const page of [one, two]) await eventually(async () => expect(await often(page).inputValue()).toBe('daily'))
  const rule = { topic: 'comments', channel: 'email', state: 'on', frequency: 'daily', source: 'page' }
  await eventually(async () => expect(await choices(user)).toMatchObject([rule]))
  await toggle(one, 'Comments', 'Email').click()
  for (const page of [one, two]) await eventually(async () => expect(await often(page).count()).toBe(0))
  await toggle(one, 'Comments', 'Email').click()
  for (const page of [one, two]) await eventually(async () => expect(await often(page).inputValue()).toBe('daily'))
  await often(one).selectOption('')
  await eventually(async () => expect(await choices(user)).toMatchObject([{ ...rule, frequency: null }]))
})

test('a wide off greys narrower switches and keeps their choices, and required topics have none', async () => {
  const { user, tab } = await person()
  const page = await tab()
  await toggle(page, 'Weekly news', 'Email').click()
  await isOn(page, 'Weekly news', 'Email', false)
  await toggle(page, 'Everything', 'All channels').click()
  await isOn(page, 'Weekly news', 'In the app', false)
  for (const name of ['All channels', 'Email', 'In the app'])
    expect(await isGreyed(page, 'Weekly news', name)).toBe(true)
  await toggle(page, 'Weekly news', 'Email').click({ force: true })
  await toggle(page, 'Everything', 'All channels').click()
  await isOn(page, 'Weekly news', 'In the app', true)
  await isOn(page, 'Weekly news', 'Email', false)
  expect(await isGreyed(page, 'Weekly news', 'Email')).toBe(false)
  await eventually(async () => expect(await choices(user)).toMatchObject([{ topic, channel: 'email', state: 'off' }]))
  const required = page.getByRole('group', { name: 'Terms' })
  expect(await required.getByText('Always sent').count()).toBe(1)
  expect(await required.getByRole('switch').count()).toBe(0)
})

test('a topic that is off without a choice has a switch for all channels only while it is off for all of them', async () => {
  const { user, tab } = await person()
  const page = await tab()
  const switches = page.getByRole('group', { name: 'Tips' }).getByRole('switch')
  const shown = () =>
    switches.evaluateAll((all) => all.map((one) => `${one.textContent} ${one.getAttribute('aria-checked')}`))
  await eventually(async () => expect(await shown()).toEqual(['Email false', 'In the app false']))
  await choose(user, [{ topic: 'tips', channel: '*', state: 'off' }])
  await isOn(page, 'Tips', 'All channels', false)
  await toggle(page, 'Tips', 'All channels').click()
  await eventually(async () => expect(await shown()).toEqual(['Email false', 'In the app false']))
  await eventually(async () => expect(await choices(user)).toEqual([]))
})

test('a refused choice is undone and reported, and one made while inbox-stream is away shows after', async () => {
  const { user, context, tab } = await person()
  const page = await tab()
  const problem = { status: 422, code: 'topic_is_required', detail: 'rules.0.topic cannot be switched off' }
  await context.route('**/api/v1/preferences', (route) =>
    route.request().method() === 'PATCH' ? route.fulfill({ status: 422, json: problem }) : route.continue(),
  )
  await toggle(page, 'Weekly news', 'Email').click()
  await page.getByRole('alert').filter({ hasText: 'did not work' }).waitFor()
  await isOn(page, 'Weekly news', 'Email', true)
  await eventually(async () => expect(await choices(user)).toEqual([]))
  await context.unroute('**/api/v1/preferences')
  await env.kill('inbox-stream')
  await page.getByTestId('status').filter({ hasText: 'reconnecting' }).waitFor()
  const rules = [{ topic, channel: 'email', state: 'off' }]
  await choose(user, rules)
  await env.restart('inbox-stream')
  await isOn(page, 'Weekly news', 'Email', false)
})

test('a choice made while nats-server is away shows after it is back', async () => {
  const { user, tab } = await person()
  const page = await tab()
  await env.kill('nats')
  const rules = [{ topic, channel: 'email', state: 'off' }]
  await choose(user, rules)
  await env.restart('nats')
  await isOn(page, 'Weekly news', 'Email', false)
})

test.each([
  ['light', '', 'ltr', 'Weekly news'],
  ['dark', '&locale=ar', 'rtl', 'أخبار الأسبوع'],
] as const)(
  'axe finds nothing at 390 px, and keys do everything: %s%s',
  async (colorScheme, search, direction, name) => {
    const { tab } = await person({ colorScheme, viewport: { width: 390, height: 800 } }, search)
    const page = await tab()
    const component = page.locator('.ni-preferences')
    expect(await component.evaluate((element) => getComputedStyle(element).direction)).toBe(direction)
    const look = async () => {
      expect(await violations(page)).toEqual([])
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
    }
    await look()
    const widest = component.getByRole('switch').first()
    await widest.focus()
    await page.keyboard.press('Space')
    const narrow = page.getByRole('group', { name }).getByRole('switch').last()
    await eventually(async () => expect(await narrow.getAttribute('aria-disabled')).toBe('true'))
    expect(await widest.evaluate((element) => element === document.activeElement)).toBe(true)
    await look()
    await page.keyboard.press('Enter')
    await eventually(async () => expect(await narrow.getAttribute('aria-checked')).toBe('true'))
  },
)
