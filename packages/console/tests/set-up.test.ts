import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { addApplication } from '@notify/test-kit/other-callers'
import type { Page } from 'playwright-core'
import { ConsoleHarness } from './harness/console.ts'
import { expectNoAxeViolations } from './harness/expect-no-axe-violations.ts'
import { screenshot } from './harness/screenshot.ts'

let harness: ConsoleHarness
beforeAll(async () => {
  harness = await ConsoleHarness.start(['gateway', 'dispatch'])
}, 180_000)
afterEach(async () => expect(await harness.leave()).toEqual([]))
afterAll(() => harness?.stop())

/** Each test visits several pages, and axe takes seconds on a busy machine. */
const patience = 120_000

const drawer = (page: Page) => page.getByRole('dialog')
const question = (page: Page) => page.getByRole('alertdialog')
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const preview = (page: Page) => page.getByRole('region', { name: 'Preview' })
const events = () => `/events/${harness.env.applicationId}`
const secret = 'wrong-token-0123456789abcd9a8b'

/** What a page or dialog must hold: axe, nothing cut off at 390 pixels, a picture of both widths. */
async function expectSound(page: Page, name: string): Promise<void> {
  await expectNoAxeViolations(page)
  await screenshot(page, name)
  await page.setViewportSize({ width: 390, height: 844 })
  await screenshot(page, `${name}-390`)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await page.setViewportSize({ width: 1280, height: 800 })
}

async function newEvent(page: Page, key: string, name: string): Promise<void> {
  await button(page, 'New event').click()
  await page.getByLabel('Key').fill(key)
  await page.getByLabel('Name').fill(name)
  await button(page, 'Create the event').click()
  await page.waitForURL(`**${events()}/${key}`)
}

async function publish(page: Page, version: number): Promise<void> {
  await button(page, 'Publish').click()
  await button(page, `Publish version ${version}`).click()
  await page.getByText(`Version ${version} is published.`).waitFor()
}

test(
  'a provider is added by the form of its kind, which names each fault at its field; its secret is not shown again',
  async () => {
    const page = await harness.signIn({ path: '/providers' })
    await page.getByRole('table', { name: 'Providers' }).waitFor()
    await expectSound(page, 'providers')
    await button(page, 'Add a provider').click()
    await page.getByLabel('Kind').selectOption({ label: 'SMS: Twilio' })
    await page.getByLabel('Name', { exact: true }).fill('Second <b>account</b> \u202e')
    await page.getByLabel('Account SID').fill('AC1')
    await page.getByLabel('Auth token').fill(secret)
    await page.getByLabel('Sender number (optional)').fill('+15005550007')
    await button(page, 'Add the provider').click()
    await page.getByText('must be AC and 32 hexadecimal digits', { exact: true }).waitFor()
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('name'))
    await eventually(async () => expect(await focused()).toBe('credentials.account_sid'))
    await expectSound(page, 'provider-new')
    await page.getByLabel('Account SID').fill(`AC${'c'.repeat(32)}`)
    await button(page, 'Add the provider').click()
    await page.waitForURL('**/providers/prov_*')
    await drawer(page).getByText('****9a8b').waitFor()
    await button(page, 'Test the credentials').click()
    await drawer(page).getByText('Does not work').waitFor()
    await expectSound(page, 'provider')
    await button(page, 'Edit').click()
    await drawer(page).getByText('Stored: ****9a8b.').waitFor()
    expect(await page.getByLabel('Auth token').inputValue()).toBe('')
    await page.getByLabel('Priority').fill('first')
    await button(page, 'Save the changes').click()
    await page.locator('[name=priority][aria-invalid=true]').waitFor()
    await page.getByLabel('Priority').fill('7')
    await button(page, 'Save the changes').click()
    await page.getByText('The provider is changed.').waitFor()
    await drawer(page).getByText('****9a8b').waitFor()
    expect(await page.content()).not.toContain(secret)
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain(secret)
    await button(page, 'Delete the provider').click()
    await question(page).getByRole('button', { name: 'Delete the provider' }).click()
    await page.waitForURL('**/providers')
    await page.getByText('The provider is deleted.').waitFor()
  },
  patience,
)

test(
  'the secret of webhooks is shown once when it is made, and once when it is rotated',
  async () => {
    const page = await harness.signIn({ path: '/providers/new' })
    await page.getByLabel('Kind').selectOption({ label: 'Webhook: Webhook signature' })
    await page.getByLabel('Name', { exact: true }).fill('Hooks')
    await button(page, 'Add the provider').click()
    const shown = page.getByRole('dialog', { name: 'Signing secret' }).locator('code')
    const first = await shown.textContent()
    expect(first).toMatch(/^whsec_/)
    await page.getByLabel('I have stored it').check()
    await button(page, 'Done').click()
    await button(page, 'Rotate the secret').click()
    await question(page).getByRole('button', { name: 'Rotate the secret' }).click()
    const rotated = page.getByRole('dialog', { name: 'New signing secret' }).locator('code')
    expect(await rotated.textContent()).toMatch(/^whsec_/)
    expect(await rotated.textContent()).not.toBe(first)
    await page.getByLabel('I have stored it').check()
    await button(page, 'Done').click()
    await button(page, 'Test the credentials').click()
    await drawer(page).getByText('Works', { exact: true }).waitFor()
  },
  patience,
)

test(
  'an event is created, previewed while it is written, published, changed and restored',
  async () => {
    const page = await harness.signIn({ path: '/events' })
    await page.getByRole('table', { name: 'Events' }).waitFor()
    await page.getByText('order.shipped').waitFor()
    await expectSound(page, 'events')
    await newEvent(page, 'parcel.waiting', 'Parcel <i>waits</i> \u202e')
    await page.getByRole('link', { name: 'SMS' }).click()
    await button(page, 'Write the template').click()
    await page.getByLabel('Text', { exact: true }).fill('Hi {{ name }}, fetch {{ parcel.number }}.')
    await preview(page).getByText('Hi [name], fetch [parcel.number].').waitFor()
    await page.getByLabel('Sample data (optional)').fill('{ "name": "Ada <b>" }')
    await preview(page).getByText('Hi Ada <b>, fetch [parcel.number].').waitFor()
    await page.getByLabel('Text', { exact: true }).fill('Hi {{ name')
    await preview(page).getByText('is not a valid template').waitFor()
    await page.getByLabel('Text', { exact: true }).fill('Hi {{ name }}.\nFetch {{ parcel.number }}.')
    await publish(page, 1)
    await page.getByLabel('Text', { exact: true }).fill('Hi {{ name }}.\nFetch your parcel.')
    await page.getByText('Not saved').waitFor()
    await button(page, 'Publish').click()
    const difference = drawer(page).getByRole('region', { name: 'Changes: SMS text' })
    await difference.waitFor()
    expect(await difference.locator('p').allTextContents()).toEqual([
      expect.stringContaining('Hi {{ name }}.'),
      expect.stringContaining('Removed: Fetch {{ parcel.number }}.'),
      expect.stringContaining('Added: Fetch your parcel.'),
    ])
    await expectSound(page, 'event-publish')
    await button(page, 'Publish version 2').click()
    await page.getByText('Version 2 is published.').waitFor()
    await page.getByRole('link', { name: 'Versions' }).click()
    await page.locator('tr[data-row="1"]').click()
    await drawer(page).getByText('What restoring it changes').waitFor()
    await expectSound(page, 'event-version')
    await button(page, 'Restore').click()
    await question(page).getByRole('button', { name: 'Restore the version' }).click()
    await page.getByText('Version 1 is published again as version 3.').waitFor()
    await page.locator('tr[data-row="3"]').getByText('Current').waitFor()
    await page.getByRole('link', { name: 'SMS' }).click()
    await eventually(async () =>
      expect(await page.getByLabel('Text', { exact: true }).inputValue()).toContain('{{ parcel.number }}'),
    )
  },
  patience,
)

test(
  'an event is deactivated and activated; what cannot be published is named at its field',
  async () => {
    const page = await harness.signIn({ path: events() })
    await newEvent(page, 'off.and.on', 'Off and on')
    await button(page, 'Publish').click()
    await button(page, 'Publish version 1').click()
    await drawer(page).getByText('allowed_channels must name at least one channel').waitFor()
    await drawer(page).getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('link', { name: 'Webhook', exact: true }).click()
    await button(page, 'Write the template').click()
    await page.getByLabel('Data', { exact: true }).fill('{ "order": ')
    await page.getByText('is not JSON').first().waitFor()
    await page.getByLabel('Data', { exact: true }).fill('{ "order": "{{ order }}" }')
    await preview(page).getByText('"order": "[order]"').waitFor()
    await publish(page, 1)
    await button(page, 'Deactivate').click()
    await question(page).getByRole('button', { name: 'Deactivate the event' }).click()
    await page.getByText('Inactive').waitFor()
    await button(page, 'Activate').click()
    await drawer(page).getByRole('button', { name: 'Activate the event' }).click()
    await page.getByText('Published', { exact: true }).waitFor()
  },
  patience,
)

test(
  'the HTML of an email is shown without running or loading anything of it, and long texts stay editable',
  async () => {
    const visitor = await harness.visit()
    const page = await harness.signIn({ path: `${events()}/order.shipped?tab=email`, visitor })
    const frame = page.frameLocator('iframe[title="HTML of the email"]')
    await frame.getByText('has left our warehouse').waitFor()
    await expectSound(page, 'event')
    const refused: string[] = []
    page.on('requestfailed', (request) => {
      if (request.url().includes('tracker')) refused.push(`${request.url()} ${request.failure()?.errorText}`)
    })
    const hostile =
      '<script>parent.document.title = "taken"</script><img src=x onerror="parent.document.title = \'taken\'">' +
      '<img src="https://tracker.example/pixel"><meta http-equiv="refresh" content="0;url=https://tracker.example/">' +
      '<a href="https://tracker.example/">Leave</a><p style="color: rgb(1, 2, 3)">Hello {{ name }}</p>'
    await page.getByLabel('HTML (optional)').fill(hostile + '<p>long</p>'.repeat(1000))
    await frame.getByText('Hello [name]').waitFor()
    const color = () => frame.getByText('Hello [name]').evaluate((element) => getComputedStyle(element).color)
    expect(await color()).toBe('rgb(1, 2, 3)')
    await frame.getByText('Leave').click()
    expect(await frame.getByText('Leave').count()).toBe(1)
    expect(await page.title()).toBe('Order shipped · Console')
    expect(await frame.locator('body').evaluate(() => origin)).toBe('null')
    await page.getByLabel('Text', { exact: true }).fill(`${'A long text. '.repeat(770)}{{ last }}`)
    await preview(page)
      .getByText(/\[last\]/)
      .waitFor()
    await eventually(async () => expect(refused).toEqual(['https://tracker.example/pixel csp']))
    // The refusals of the frame's policy are the point.
    const others = visitor.errors.filter((error) => !/Content Security Policy|tracker\.example\/pixel/.test(error))
    expect(others).toEqual([])
    visitor.errors.length = 0
    await button(page, 'Discard the edits').click()
    await question(page).getByRole('button', { name: 'Discard the edits' }).click()
    await frame.getByText('has left our warehouse').waitFor()
  },
  patience,
)

test(
  'edits that are not saved survive a new login',
  async () => {
    const page = await harness.signIn({ path: `${events()}/order.draft?tab=sms` })
    await page.getByLabel('Text', { exact: true }).fill('Kept {{ order }}')
    await page.evaluate(() => {
      const key = Object.keys(sessionStorage).find((name) => name.startsWith('oidc.user:'))!
      const tokens = { access_token: 'expired', refresh_token: 'revoked' }
      sessionStorage.setItem(key, JSON.stringify({ ...JSON.parse(sessionStorage.getItem(key)!), ...tokens }))
    })
    await page.context().clearCookies()
    await page.reload()
    await page.locator('button[formaction$="operator=demo-operator"]').click()
    await page.waitForURL('**/order.draft?tab=sms')
    await page.getByText('Not saved').waitFor()
    expect(await page.getByLabel('Text', { exact: true }).inputValue()).toBe('Kept {{ order }}')
  },
  patience,
)

test(
  'WhatsApp templates show their approval, are read on demand, and are mapped by choosing one',
  async () => {
    const page = await harness.signIn({ path: '/whatsapp-templates' })
    const row = page.getByRole('row', { name: /order_update/ }).first()
    await row.getByText('Approved').waitFor()
    await page
      .getByRole('row', { name: /promo_spring/ })
      .first()
      .getByText('Pending')
      .waitFor()
    await button(page, 'Sync now').click()
    await page.getByText('2 accounts are being read.').waitFor()
    await expectSound(page, 'whatsapp-templates')
    await page.goto(harness.url(`${events()}/invoice.ready?tab=whatsapp`))
    await button(page, 'Write the template').click()
    await page.getByLabel('Approved template').selectOption({ label: 'order_update (en_US), utility' })
    expect(await page.getByLabel('Template', { exact: true }).inputValue()).toBe('order_update')
    await button(page, 'Add a placeholder').click()
    await page.getByLabel('Text of placeholder 1').fill('Order {{ order }}')
    await preview(page).getByText('Order [order]').waitFor()
    await expectSound(page, 'event-whatsapp')
  },
  patience,
)

test(
  'a list without rows says what to do first',
  async () => {
    const { applicationId } = await addApplication(harness.env)
    const page = await harness.signIn({ path: `/events/${applicationId}` })
    await page.getByText('No events yet').waitFor()
    await expectNoAxeViolations(page)
    await page.goto(harness.url('/providers?channel=in_app'))
    await page.getByText('No provider for In-app').waitFor()
    await button(page, 'Show all channels').click()
    await page.getByText('Twilio (sandbox)').waitFor()
    await page.goto(harness.url(`${events()}/not.there`))
    await page.getByText(/^Request req_/).waitFor()
    await expectNoAxeViolations(page)
  },
  patience,
)

test(
  'the keyboard alone opens an event, goes through its parts and back to the list',
  async () => {
    const page = await harness.signIn({ path: events() })
    await page.getByText('invoice.ready').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByRole('navigation', { name: 'Parts of the event' }).waitFor()
    await page.getByRole('link', { name: 'Versions' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL('**tab=versions')
    await page.keyboard.press('Escape')
    await page.waitForURL(`**${events()}`)
  },
  patience,
)
