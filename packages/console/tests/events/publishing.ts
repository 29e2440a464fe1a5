import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import type { Page } from 'playwright-core'
import { expectSound } from '../harness/expect-sound.ts'
import { holdNext, refusal } from '../harness/hold-next.ts'
import { button, preview, question, text } from '../harness/parts.ts'
import { drawer } from '../harness/table.ts'
import { events, harness } from './stack.ts'

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

/** Clicks: the action takes place, but the page is answered 503. */
async function loseAnswer(page: Page, url: string, action: string): Promise<void> {
  const { held } = await holdNext(page, 'POST', url)
  await question(page).getByRole('button', { name: action }).click()
  const lost = await held
  await eventually(async () => expect((await lost.fetch()).ok()).toBe(true))
  await lost.fulfill(refusal(503))
  await question(page).getByText('refused with 503').waitFor()
}

/** Another operator's request about the events of the application. */
async function call(method: string, url: string, body?: object) {
  const { env } = harness
  const path = `/api/v1/applications/${env.applicationId}/events${url}`
  return (await env.api(method, path, { token: env.operatorToken, ...(body ? { body } : {}) })).body
}

test('an event is created, previewed while it is written, published, changed and restored', async () => {
  const page = await harness.signIn({ path: events() })
  await page.getByRole('table', { name: 'Events' }).waitFor()
  await page.getByText('order.shipped').waitFor()
  await expectSound(page)
  await newEvent(page, 'parcel.waiting', 'Parcel <i>waits</i> \u202e')
  await page.getByRole('link', { name: 'SMS' }).click()
  await button(page, 'Write the template').click()
  await preview(page).getByText('Write the template to see what a recipient gets.').waitFor()
  await text(page).fill('Hi')
  await text(page).fill('')
  await preview(page).getByText('must not be empty').waitFor()
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
  await expectSound(page)
  await button(page, 'Publish version 2').click()
  await page.getByText('Version 2 is published.').waitFor()
  await page.getByRole('link', { name: 'Versions' }).click()
  await page.locator('tr[data-row="1"]').click()
  await drawer(page).getByText('What restoring it changes').waitFor()
  await expectSound(page)
  await button(page, 'Restore').click()
  await question(page).getByRole('button', { name: 'Restore the version' }).click()
  await page.getByText('Version 1 is restored as version 3.').waitFor()
  await page.locator('tr[data-row="3"]').getByText('Current').waitFor()
  await page.getByRole('link', { name: 'SMS' }).click()
  await eventually(async () => expect(await text(page).inputValue()).toContain('{{ parcel.number }}'))
})

test('an event is deactivated and activated; what cannot be published is named at its field', async () => {
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
})

test('an event is deactivated though the first answer was lost and another operator has activated it since', async () => {
  const content = { name: 'On again', allowed_channels: ['sms'], templates: { sms: { body: 'Hi' } } }
  await call('POST', '', { event_key: 'on.again', ...content })
  await call('POST', '/on.again/publish')
  const page = await harness.signIn({ path: `${events()}/on.again` })
  await button(page, 'Deactivate').click()
  await loseAnswer(page, '**/deactivate', 'Deactivate the event')
  expect((await call('POST', '/on.again/publish')).status).toBe('published')
  await question(page).getByRole('button', { name: 'Deactivate the event' }).click()
  await question(page).waitFor({ state: 'detached' })
  expect((await call('GET', '/on.again')).status).toBe('inactive')
})

const withText = (body: string) => ({ name: 'Restored', allowed_channels: ['sms'], templates: { sms: { body } } })

/** Another operator's next version of an event. */
async function replace(key: string, body: string): Promise<number> {
  await call('PUT', `/${key}`, withText(body))
  return (await call('POST', `/${key}/publish`)).version
}

/** An event with two versions. */
async function publishTwice(key: string): Promise<void> {
  await call('POST', '', { event_key: key, status: 'published', ...withText('First') })
  expect(await replace(key, 'Second')).toBe(2)
}

test('a version is restored again though the first answer was lost and another operator has replaced it since', async () => {
  await publishTwice('restored.twice')
  const page = await harness.signIn({ path: `${events()}/restored.twice` })
  await page.getByRole('link', { name: 'Versions' }).click()
  await page.locator('tr[data-row="1"]').click()
  await button(page, 'Restore').click()
  await loseAnswer(page, '**/restore?*', 'Restore the version')
  expect(await replace('restored.twice', 'Theirs')).toBe(4)
  // The page is seen again, and reads the version of the other operator.
  await eventually(async () => {
    await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
    expect(await question(page).textContent()).toContain('as version 5')
  })
  await question(page).getByRole('button', { name: 'Restore the version' }).click()
  await page.getByText('Version 1 is restored as version 5.').waitFor()
  expect((await call('GET', '/restored.twice')).templates.sms.body).toBe('First')
})

test('a version is not restored over one that another operator has published since, until that one is shown', async () => {
  await publishTwice('restored.over')
  const page = await harness.signIn({ path: `${events()}/restored.over?tab=versions` })
  await page.locator('tr[data-row="1"]').click()
  await button(page, 'Restore').click()
  await question(page).getByText('as version 3').waitFor()
  expect(await replace('restored.over', 'Theirs')).toBe(3)
  await question(page).getByRole('button', { name: 'Restore the version' }).click()
  await question(page).getByText('The event was changed at').waitFor()
  await question(page).getByText('as version 4').waitFor()
  await page.locator('tr[data-row="3"]').getByText('Current').waitFor()
  expect((await call('GET', '/restored.over')).templates.sms.body).toBe('Theirs')
  await question(page).getByRole('button', { name: 'Restore the version' }).click()
  await page.getByText('Version 1 is restored as version 4.').waitFor()
})

test('a version of an inactive event is restored, and the event stays inactive', async () => {
  await publishTwice('restored.off')
  await call('POST', '/restored.off/deactivate')
  const page = await harness.signIn({ path: `${events()}/restored.off?tab=versions` })
  await page.locator('tr[data-row="1"]').click()
  await button(page, 'Restore').click()
  await question(page).getByText('become version 3. The draft is kept.').waitFor()
  await question(page).getByRole('button', { name: 'Restore the version' }).click()
  await page.getByText('Version 1 is restored as version 3.').waitFor()
  expect(await call('GET', '/restored.off')).toMatchObject({ status: 'inactive', version: 3 })
})
