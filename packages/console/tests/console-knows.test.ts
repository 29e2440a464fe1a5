import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { newId } from '@notify/contracts'
import { eventually } from '@notify/dev-env'
import { untilActivity } from '@notify/test-kit/activity'
import { post, untilState } from '@notify/test-kit/api'
import { addApplication, addKey } from '@notify/test-kit/callers'
import { freshPhone, smsTo } from '@notify/test-kit/sms'
import type { Page } from 'playwright-core'
import { ConsoleHarness } from './harness/console.ts'
import { expectSound } from './harness/expect-sound.ts'
import { holdNext, refusal } from './harness/hold-next.ts'
import { layoutShift } from './harness/layout-shift.ts'
import { button } from './harness/parts.ts'
import { signInWithout } from './harness/sign-in-without.ts'

let harness: ConsoleHarness
beforeAll(async () => {
  harness = await ConsoleHarness.start(['gateway', 'dispatch', 'callbacks', 'consent'])
})
afterEach(async () => expect(await harness.leave()).toEqual([]))
afterAll(() => harness?.stop())

/** Presses a key until a field has the focus: a page listens to keys a moment after it is drawn. */
async function focusBy(page: Page, key: string): Promise<void> {
  await eventually(async () => {
    await page.keyboard.press(key)
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT')
  })
}

/** Types into the finder, once it has the focus. */
async function find(page: Page, text: string): Promise<void> {
  await focusBy(page, 'Control+k')
  await page.getByRole('searchbox', { name: 'Page, id, event or recipient' }).fill(text)
}

test('a refused request is in the API log with its code, and Ctrl-K finds it by its id', async () => {
  const refused = await post(harness.env, { channel: 'sms', recipient: 'nobody', body: 'Hi' })
  const requestId = refused.headers.get('x-request-id')!
  const page = await harness.signIn({ path: '/api-log' })
  await page.getByText('POST /api/v1/notifications').first().waitFor()
  await page.getByRole('link', { name: 'invalid_recipient' }).first().waitFor()
  await expectSound(page)
  await find(page, requestId)
  const found = page.getByRole('dialog', { name: 'Find' })
  await found.getByRole('option', { name: requestId }).waitFor()
  await expectSound(page)
  await page.keyboard.press('Enter')
  await page.waitForURL(`**request_id=${requestId}`)
  await eventually(async () => expect(await page.locator('tbody tr').count()).toBe(1))
})

test('a recipient is found by the whole number, which no address contains; the content is shown after a click', async () => {
  const phone = freshPhone()
  const { body } = await post(harness.env, smsTo(phone, { body: 'Your table is ready' }))
  await untilState(harness.env, body.notification_id, { delivery_status: 'delivered' })
  const page = await harness.signIn({ path: '/usage' })
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await find(page, phone)
  await page.getByRole('option', { name: 'Messages to this recipient' }).click()
  await page.waitForURL('**/activity?recipient_token=rcp_*')
  const row = page.locator('tbody tr[data-row]')
  await eventually(async () => expect(await row.count()).toBe(1))
  await row
    .getByText(`…${body.notification_id.slice(-6)}`)
    .filter({ visible: true })
    .waitFor()
  await row.click()
  await button(page, 'Show the content').click()
  await page.getByText('Your table is ready').waitFor()
  await expectSound(page)
  expect(asked.filter((url) => decodeURIComponent(url).includes(phone.slice(1)))).toEqual([])
})

test('failures are grouped by code with their meaning, and the usage counts every message', async () => {
  const { body } = await post(harness.env, smsTo(freshPhone('0003')))
  await untilState(harness.env, body.notification_id, { delivery_status: 'failed' })
  const page = await harness.signIn({ path: '/failures' })
  await page.getByRole('cell', { name: '21211' }).waitFor()
  await expectSound(page)
  await page.goto(harness.url('/usage'))
  const sms = page.getByRole('table', { name: 'All messages by channel' }).getByRole('row', { name: /^SMS/ })
  await sms.getByText('No price').waitFor()
  await expectSound(page)
  await button(page, 'Price list').click()
  await page.getByLabel('Currency').fill('eur')
  await page.getByLabel('WhatsApp, marketing').fill('0,13')
  await page.getByLabel('SMS', { exact: true }).fill('0.05')
  await button(page, 'Save the prices').click()
  await page.getByText('must be a decimal number').first().waitFor()
  expect(await page.getByLabel('WhatsApp, marketing').getAttribute('aria-invalid')).toBe('true')
  await expectSound(page)
  await page.getByLabel('WhatsApp, marketing').fill('0.13')
  await button(page, 'Add a country').click()
  await page.getByLabel('Messages of price 1').selectOption({ label: 'SMS' })
  await page.getByLabel('Country code 1').fill('49')
  await page.getByLabel('Price 1', { exact: true }).fill('0.08')
  await button(page, 'Save the prices').click()
  await page.getByText('must be a plus sign').first().waitFor()
  expect(await page.getByLabel('Country code 1').getAttribute('aria-invalid')).toBe('true')
  await expectSound(page)
  await page.getByLabel('Country code 1').fill('+49')
  await button(page, 'Save the prices').click()
  await sms.getByText(/^\d+\.\d+ EUR$/).waitFor()
  await button(page, 'Price list').click()
  await page.getByLabel('SMS', { exact: true }).waitFor()
  expect(await page.getByLabel('SMS', { exact: true }).inputValue()).toBe('0.05')
  // What was typed before Escape is not saved with a later change.
  await page.getByLabel('SMS', { exact: true }).fill('9')
  await page.keyboard.press('Escape')
  await page.getByLabel('SMS', { exact: true }).waitFor({ state: 'detached' })
  await button(page, 'Price list').click()
  await page.getByLabel('SMS', { exact: true }).waitFor()
  expect(await page.getByLabel('SMS', { exact: true }).inputValue()).toBe('0.05')
})

test('prices that another operator has saved meanwhile are kept, and shown before they are overwritten', async () => {
  const call = async (method: string, body?: object) =>
    (
      await harness.env.api(method, '/api/v1/usage/prices', {
        token: harness.env.operatorToken,
        ...(body ? { body } : {}),
      })
    ).body
  const of = (channel: string, price: string, country_prefix: string | null = null) => ({
    ...{ channel, category: null, country_prefix, price },
  })
  await call('PUT', { currency: 'EUR', prices: [of('sms', '0.05'), of('sms', '0.08', '+49')] })
  const page = await harness.signIn({ path: '/usage' })
  await button(page, 'Price list').click()
  await page.getByLabel('SMS', { exact: true }).fill('0.06')
  await call('PUT', { currency: 'EUR', prices: [of('email', '0.001'), of('sms', '0.07'), of('sms', '0.09', '+44')] })
  await button(page, 'Save the prices').click()
  const conflict = page.getByRole('alertdialog', { name: 'Other changes were saved meanwhile' })
  const difference = conflict.getByRole('region', { name: 'Changes: SMS', exact: true })
  await difference.getByText('0.07').waitFor()
  expect(await conflict.getByRole('region').count()).toBe(1)
  await expectSound(page)
  await conflict.getByRole('button', { name: 'Overwrite theirs with mine' }).click()
  await page.getByText('The price list is saved.').waitFor()
  expect((await call('GET')).prices).toEqual([of('email', '0.001'), of('sms', '0.06'), of('sms', '0.09', '+44')])
})

test('a test message is sent from the editor, with the answer of the carrier below the button', async () => {
  const page = await harness.signIn({ path: `/events/${harness.env.applicationId}/order.shipped?tab=sms` })
  const phone = freshPhone()
  await page.getByLabel('Your number').fill(phone)
  await button(page, 'Send a test').click()
  await page.getByText('Taken by the carrier').waitFor()
  await expectSound(page)
  await page.getByLabel('Your number').fill(freshPhone('0003'))
  await button(page, 'Send a test').click()
  await page.getByText('21211', { exact: true }).waitFor()
  expect(await harness.env.messages({ to: phone })).toHaveLength(1)
})

test.each<[string, (phone: string) => string]>([
  ['a slash', (phone) => `${phone.slice(0, 5)}/${phone.slice(5)}`],
  ['the scheme of a link', (phone) => `tel:${phone}`],
])('a recipient is found by a number with %s, and no address contains it', async (_what, written) => {
  const phone = freshPhone()
  const page = await harness.signIn({ path: '/usage' })
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await find(page, written(phone))
  await page.getByRole('option', { name: 'Messages to this recipient' }).waitFor()
  expect(asked.filter((url) => decodeURIComponent(url).includes(phone.slice(5)))).toEqual([])
})

test.each<[string, (key: string) => string]>([
  ['itself', (key) => key],
  ['the header that has it', (key) => `Bearer ${key}`],
  ['a name that runs into it', (key) => `key_${key}`],
])('an API key is found by %s, and no address contains its secret', async (_what, written) => {
  const page = await harness.signIn({ path: '/usage' })
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await find(page, written(harness.env.apiKey))
  await page.getByRole('option', { name: /^key_/ }).waitFor()
  expect(asked.filter((url) => url.includes(harness.env.apiKey.slice(-40)))).toEqual([])
})

test('a person is found by the whole number, with choices, their source and history, and what decides', async () => {
  const { env } = harness
  const byKey = async (method: string, path: string, body: object) => (await env.api(method, path, { body })).body
  const topic = { topic_key: 'offers', name: 'Offers', channels: ['sms', 'in_app'] }
  const operator = (path: string, body: object) => env.api('POST', path, { token: env.operatorToken, body })
  await operator(`/api/v1/applications/${env.applicationId}/topics`, topic)
  const phone = freshPhone()
  const { notification_id } = await byKey('POST', '/api/v1/notifications', smsTo(phone))
  await untilState(env, notification_id, { delivery_status: 'delivered' })
  for (const state of ['on', 'off'])
    await byKey('POST', '/api/v1/preferences/import', {
      rules: [{ address: phone, topic: 'offers', channel: 'sms', state }],
    })
  const page = await harness.signIn({ path: '/people' })
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  await page.getByText('Search for one person').waitFor()
  await expectSound(page)
  await page.keyboard.press('/')
  await page.keyboard.type(phone)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/people/address/rcp_*')
  const table = (name: string) => page.getByRole('table', { name, exact: true })
  await table('Topics').getByText('SMS: Off').waitFor()
  await table('Topics').getByText('In-app: On').waitFor()
  await table('Choices').getByText('Import').waitFor()
  await eventually(async () => expect(await table('History').locator('tbody tr').count()).toBe(2))
  await page.getByText('The address is not suppressed').waitFor()
  await page.getByText('No consent is recorded').waitFor()
  await table('Last messages').getByText('Delivered').waitFor()
  await page.getByLabel('Topic', { exact: true }).selectOption('offers')
  await page.getByLabel('Channel', { exact: true }).selectOption('sms')
  await button(page, 'Explain').click()
  await page.getByText('It would not be sent.').waitFor()
  const decisive = page.getByRole('listitem').filter({ hasText: 'Decides: stops it' })
  await decisive.getByText('The address chose Off for offers, SMS. Source: Import.').waitFor()
  await expectSound(page)
  expect(asked.filter((url) => decodeURIComponent(url).includes(phone.slice(1)))).toEqual([])

  await operator('/api/v1/suppressions', { channel: 'sms', recipient: phone, reason: 'manual' })
  await button(page, 'Explain').click()
  await decisive.getByText('Suppression').waitFor()
  await page.reload()
  await table('Suppressions').getByText('Manual').waitFor()
  expect(await page.content()).not.toContain(phone)
})

test('a person is found by the user id, and not without consents:read', async () => {
  const { env } = harness
  const user = `user-${crypto.randomUUID()}`
  const rules = [{ topic: '*', channel: '*', state: 'off' }]
  expect((await env.api('PATCH', `/api/v1/users/${user}/preferences`, { body: { rules } })).status).toBe(200)
  const page = await signInWithout(harness, 'activity:read', '/people')
  await focusBy(page, '/')
  await page.keyboard.type(user)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/people/user/rcp_*')
  await page.getByRole('table', { name: 'Choices' }).getByText('Every topic, every channel').waitFor()
  await page.getByText('activity:read').waitFor()
  await button(page, 'Explain').click()
  await page.getByText('It would be sent.').waitFor()
  await expectSound(page)
  const address = new URL(page.url()).pathname.replace('/console', '')
  const refused = await signInWithout(harness, 'consents:read', address)
  await refused.getByText('consents:read').waitFor()
  expect(await refused.getByRole('link', { name: 'People' }).count()).toBe(0)
})

test('a person is shown under all names of the user record, and in test mode with the choices of test keys', async () => {
  const { env } = harness
  const [user, phone] = [`user-${crypto.randomUUID()}`, freshPhone()]
  const rule = (name: object, state: string) => ({ ...name, topic: '*', channel: '*', state })
  const importing = { body: { rules: [rule({ user_id: user }, 'off'), rule({ address: phone }, 'on')] } }
  await env.api('PUT', `/api/v1/users/${user}`, { body: { phone } })
  expect((await env.api('POST', '/api/v1/preferences/import', importing)).status).toBe(200)
  const { notification_id } = (await post(env, smsTo(phone))).body
  await untilState(env, notification_id, { delivery_status: 'delivered' })
  const { apiKey: key } = await addKey(env, env, { mode: 'test', permissions: ['recipients:manage'] })
  const ofTest = { key, body: { rules: [{ ...rule({ user_id: user }, 'on'), channel: 'sms' }] } }
  expect((await env.api('POST', '/api/v1/preferences/import', ofTest)).status).toBe(200)
  const page = await harness.signIn({ path: '/people' })
  const table = (name: string | RegExp) => page.getByRole('table', { name })
  await focusBy(page, '/')
  await page.keyboard.type(user)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'The user' }).waitFor()
  const choices = table('Choices').locator('tbody')
  await choices.getByText('User id').waitFor()
  await choices.getByText('Number').waitFor()
  await table(/^Last messages: \+/)
    .getByText('Delivered')
    .waitFor()
  await expectSound(page)
  expect(await layoutShift(page)).toBeLessThan(0.05)

  await button(page, 'Test').first().click()
  await page.getByText('Test: messages of test keys').waitFor()
  await choices.getByText('Every topic, SMS').waitFor()
  expect(await page.getByRole('heading', { name: 'The user' }).count()).toBe(0)
  await expectSound(page)
  await page.goto(harness.url('/activity'))
  await page.getByText('Nothing matches these filters').waitFor()
  expect(await button(page, 'Test').first().getAttribute('aria-pressed')).toBe('true')
  await button(page, 'All').first().click()
  await page.locator('tbody tr[data-row]').first().waitFor()
})

test('a user id is found by Ctrl-K, and while an address is typed no part of it stands in a query string', async () => {
  const { env } = harness
  const user = `user-${crypto.randomUUID()}`
  const { body } = await post(env, { channel: 'in_app', recipient: user, title: 'Hi', body: 'Hello' })
  await untilActivity(env, body.notification_id, {})
  const page = await harness.signIn({ path: '/usage' })
  const asked: string[] = []
  // Without the port and the id, which may have these digits too.
  const shorten = (url: string) => decodeURIComponent(url.replace(/^https?:\/\/[^/]+/, '')).replaceAll(user, '')
  page.on('request', (request) => asked.push(shorten(request.url())))
  const { held } = await holdNext(page, 'POST', '**/recipients/lookup')
  await find(page, user)
  const lookup = await held
  await page.getByText('It is being looked up.').waitFor()
  await lookup.fulfill(refusal(403))
  await page.getByText('It could not be looked up: refused with 403').waitFor()
  await page.keyboard.press('Escape')
  await find(page, user)
  await page.getByRole('option', { name: 'Messages to this recipient' }).waitFor()
  const search = page.getByRole('searchbox', { name: 'Page, id, event or recipient' })
  for (const part of ['ada@', '+1415', '41555']) {
    await search.fill(part)
    await page.getByText('Nothing has this title').waitFor()
  }
  expect(asked.filter((url) => /ada@|1415|4155/.test(url))).toEqual([])
  const digest = newId('dig')
  await search.fill(digest)
  await page.getByRole('option', { name: digest }).getByText('Digest').waitFor()
  await search.fill('nobody@example.com')
  await page.getByRole('option', { name: 'Suppressions of this recipient' }).waitFor()
  expect(await page.getByRole('option', { name: 'Consent of this number' }).count()).toBe(0)
  const unknown = `nobody-${crypto.randomUUID()}`
  await search.fill(unknown)
  await page.getByRole('option', { name: `User id ${unknown}` }).click()
  await page.waitForURL('**/people/user/rcp_*')
  await page.getByText('The person has chosen nothing').waitFor()
})

test('the switch between live and test filters the API log, the failures and the keys', async () => {
  const ids = { tenantId: harness.env.tenantId, applicationId: harness.env.applicationId }
  const { apiKey: key, keyId } = await addKey(harness.env, ids, { permissions: ['notifications:send'], mode: 'test' })
  await post(harness.env, smsTo(freshPhone('0003')), { key })
  const page = await harness.signIn({ path: '/api-log' })
  const choose = (mode: string) => page.getByRole('button', { name: mode, exact: true }).first().click()
  const ofTestKey = page.getByText(`…${keyId.slice(-6)}`)
  await ofTestKey.first().waitFor()
  await choose('Live')
  await ofTestKey.first().waitFor({ state: 'detached' })
  await choose('Test')
  await ofTestKey.first().waitFor()
  await page.goto(harness.url('/failures'))
  await page.getByRole('cell', { name: '21211' }).waitFor()
  await expectSound(page)
  await page.goto(harness.url(`/applications/${ids.applicationId}`))
  const keys = page.getByRole('table', { name: 'API keys' }).locator('tbody tr[data-row]')
  const { body } = await harness.env.api('GET', `/api/v1/applications/${ids.applicationId}/keys?mode=test&limit=50`, {
    token: harness.env.operatorToken,
  })
  await eventually(async () => expect(await keys.count()).toBe(body.items.length))
  await choose('All')
  await eventually(async () => expect(await keys.count()).toBeGreaterThan(body.items.length))
  await expectSound(page)
})

// Last: the application that it adds is the newest, which pages show by default.
test('a page keeps its application while another tab visits another one', async () => {
  const { env } = harness
  const other = await addApplication(env)
  const visitor = await harness.visit()
  const page = await harness.logIn({ path: `/events/${env.applicationId}`, visitor })
  const remembered = () => page.evaluate(() => localStorage.getItem('last-application'))
  await eventually(async () => expect(await remembered()).toBe(env.applicationId))
  await page.goto(harness.url('/api-log'))
  const application = page.getByLabel('Application')
  await eventually(async () => expect(await application.inputValue()).toBe(env.applicationId))
  await harness.logIn({ path: `/events/${other.applicationId}`, visitor })
  await eventually(async () => expect(await remembered()).toBe(other.applicationId))
  const refused = await post(env, { channel: 'sms', recipient: 'nobody', body: 'Hi' })
  await page.getByText(refused.headers.get('x-request-id')!).waitFor()
  expect(await application.inputValue()).toBe(env.applicationId)
})
