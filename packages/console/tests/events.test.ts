import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { addApplication } from '@notify/test-kit/other-callers'
import type { Page } from 'playwright-core'
import { ConsoleHarness } from './harness/console.ts'
import { expectNoAxeViolations } from './harness/expect-no-axe-violations.ts'
import { expectSound } from './harness/expect-sound.ts'
import { button, preview, question, text } from './harness/parts.ts'
import { drawer, rows } from './harness/table.ts'

let harness: ConsoleHarness
beforeAll(async () => {
  harness = await ConsoleHarness.start(['gateway', 'dispatch'])
}, 180_000)
afterEach(async () => expect(await harness.leave()).toEqual([]))
afterAll(() => harness?.stop())

/** Each test visits several pages, and axe takes seconds on a busy machine. */
const patience = 120_000

const events = () => `/events/${harness.env.applicationId}`

async function newEvent(page: Page, key: string, name: string): Promise<void> {
  await button(page, 'New event').click()
  await page.getByLabel('Key', { exact: true }).fill(key)
  await page.getByLabel('Name', { exact: true }).fill(name)
  await button(page, 'Create the event').click()
  await page.waitForURL(`**${events()}/${key}`)
}

async function publish(page: Page, version: number): Promise<void> {
  await button(page, 'Publish').click()
  await button(page, `Publish version ${version}`).click()
  await page.getByText(`Version ${version} is published.`).waitFor()
}

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
    await text(page).fill('Hi {{ name }}, fetch {{ parcel.number }}.')
    await preview(page).getByText('Hi [name], fetch [parcel.number].').waitFor()
    await page.getByLabel('Sample data (optional)').fill('{ "name": "Ada <b>" }')
    await preview(page).getByText('Hi Ada <b>, fetch [parcel.number].').waitFor()
    await text(page).fill('Hi {{ name')
    await preview(page).getByText('is not a valid template').waitFor()
    await text(page).fill('Hi {{ name }}.\nFetch {{ parcel.number }}.')
    await publish(page, 1)
    await text(page).fill('Hi {{ name }}.\nFetch your parcel.')
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
    await eventually(async () => expect(await text(page).inputValue()).toContain('{{ parcel.number }}'))
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
    await page.getByText('Inactive', { exact: true }).waitFor()
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
    await text(page).fill(`${'A long text. '.repeat(770)}{{ last }}`)
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
    await text(page).fill('Kept {{ order }}')
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
    expect(await text(page).inputValue()).toBe('Kept {{ order }}')
  },
  patience,
)

test(
  'a WhatsApp template is mapped by choosing one that is approved',
  async () => {
    const page = await harness.signIn({ path: `${events()}/invoice.ready?tab=whatsapp` })
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
    await page.getByText('order.shipped').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('INVOICE.')
    await page.keyboard.press('Enter')
    await eventually(async () => expect(await rows(page).count()).toBe(1))
    await page.keyboard.press('Escape')
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

test(
  'who saves over what somebody else has saved is asked first; neither text is lost',
  async () => {
    const { env } = harness
    const path = `/api/v1/applications/${env.applicationId}/events`
    const content = (body: string) => ({ name: 'Two editors', allowed_channels: ['sms'], templates: { sms: { body } } })
    const call = async (method: string, url: string, body?: object) => {
      const { body: answer } = await env.api(method, url, { token: env.operatorToken, ...(body ? { body } : {}) })
      return answer
    }
    const theirs = (body: string) => call('PUT', `${path}/two.editors`, content(body))
    await call('POST', path, { event_key: 'two.editors', ...content('First') })
    const page = await harness.signIn({ path: `${events()}/two.editors?tab=sms` })
    const conflict = question(page).getByRole('region', { name: 'Changes: SMS text' })
    const saved = Promise.withResolvers<void>()
    await page.route('**/two.editors?expected*', async (route) => {
      await saved.promise
      await route.continue()
    })
    await text(page).fill('Saved')
    await page.keyboard.press('Control+s')
    await text(page).fill('Mine')
    saved.resolve()
    await page.getByText('The draft is saved.').waitFor()
    expect([await text(page).inputValue(), await page.getByText('Not saved').count()]).toEqual(['Mine', 1])
    await theirs('Theirs')
    await page.keyboard.press('Control+s')
    await conflict.getByText('Theirs').waitFor()
    expect(await conflict.locator('p').allTextContents()).toEqual([
      expect.stringContaining('Removed: Theirs'),
      expect.stringContaining('Added: Mine'),
    ])
    await expectSound(page, 'event-conflict')
    await page.keyboard.press('Escape')
    expect(await text(page).inputValue()).toBe('Mine')
    await button(page, 'Save the draft').click()
    await button(page, 'Discard mine and load theirs').click()
    await eventually(async () => expect(await text(page).inputValue()).toBe('Theirs'))
    expect(await page.getByText('Not saved').count()).toBe(0)

    await text(page).fill('Mine again')
    await theirs('Theirs again')
    await button(page, 'Save the draft').click()
    await button(page, 'Overwrite theirs with mine').click()
    await page.getByText('The draft is saved.').waitFor()
    expect((await call('GET', `${path}/two.editors`)).templates).toEqual({ sms: { body: 'Mine again' } })

    await text(page).fill('Mine at last')
    // What was edited has not changed: nobody need be asked.
    await call('POST', `${path}/two.editors/publish`)
    await button(page, 'Publish').click()
    await drawer(page).getByText('Added: Mine at last').waitFor()
    await theirs('Theirs at last')
    await button(page, 'Publish version 2').click()
    await drawer(page).getByText('The event was changed at').waitFor()
    await drawer(page).getByText('Added: Theirs at last').waitFor()
    await button(page, 'Publish version 2').click()
    await page.getByText('Version 2 is published.').waitFor()
  },
  patience,
)

test(
  'a stored template is created, previewed while it is written, saved, kept from being overwritten, and deleted',
  async () => {
    const { env } = harness
    const page = await harness.signIn({ path: '/templates' })
    await page.getByText('No templates yet').waitFor()
    await expectNoAxeViolations(page)
    await button(page, 'New template').first().click()
    await button(page, 'Create the template').click()
    await page.locator('input[name=name][aria-invalid=true]').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('<b>Invoice</b> \u202e')
    await page.getByLabel('First channel').selectOption({ label: 'Email' })
    await button(page, 'Create the template').click()
    await page.waitForURL('**/templates/tmpl_*')
    await page.getByRole('heading', { level: 1, name: '<b>Invoice</b>' }).waitFor()
    await preview(page).getByText('Hello [name]').waitFor()
    await page.getByLabel('Subject').fill('Invoice {{ number }}')
    await text(page).fill(`${'A long text. '.repeat(770)}{{ last }}`)
    await preview(page)
      .getByText(/\[last\]/)
      .waitFor()
    await page.getByLabel('Subject').fill('Invoice {{ number')
    await preview(page).getByText('is not a valid template').waitFor()
    await page.keyboard.press('Control+s')
    await page.locator('[name="templates.email.subject"][aria-invalid=true]').waitFor()
    await page.getByLabel('Subject').fill('Invoice {{ number }}')
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByLabel('Application').selectOption({ label: 'Demo Shop' })
    await page.keyboard.press('Control+s')
    await page.getByText('The template is saved; notifications use it at once.').waitFor()
    await page.getByText('Version 2').waitFor()
    const path = `/api/v1/templates/${page.url().split('/').at(-1)?.split('?')[0]}`
    const stored = await env.api('GET', path, { token: env.operatorToken })
    expect(stored.body).toMatchObject({ application_id: env.applicationId, version: 2 })
    expect(stored.body.templates.email.body).toHaveLength(10_020)

    await page.getByRole('link', { name: 'SMS' }).click()
    await button(page, 'Write the template').click()
    await text(page).fill('Invoice {{ number }} for {{ name }}')
    await preview(page).getByText('Invoice [number] for [name]').waitFor()
    await expectSound(page, 'template')
    const { name, application_id, templates } = stored.body
    const theirs = { name: 'Theirs', application_id, templates }
    await env.api('PUT', path, { token: env.operatorToken, body: theirs })
    await button(page, 'Save').click()
    await question(page).getByRole('region', { name: 'Changes: Name' }).getByText('Theirs').waitFor()
    await button(page, 'Overwrite theirs with mine').click()
    await page.getByText('Version 4').waitFor()
    expect((await env.api('GET', path, { token: env.operatorToken })).body).toMatchObject({ name, version: 4 })

    await page.goto(harness.url('/templates'))
    await page.getByText('<b>Invoice</b>').waitFor()
    await expectSound(page, 'templates')
    await page.keyboard.press('/')
    await page.keyboard.type('receipt')
    await page.keyboard.press('Enter')
    await page.getByText('No template has this in its name').waitFor()
    await button(page, 'Clear the filters').click()
    await page.getByText('<b>Invoice</b>').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await button(page, 'Delete').click()
    await button(page, 'Delete the template').click()
    await page.getByText('No templates yet').waitFor()
    await eventually(async () => expect((await env.api('GET', path, { token: env.operatorToken })).status).toBe(404))
  },
  patience,
)
