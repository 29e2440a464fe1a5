import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { untilActivity } from '@notify/test-kit/activity'
import { post } from '@notify/test-kit/api'
import { freshPhone } from '@notify/test-kit/sms'
import { expectSound } from '../harness/expect-sound.ts'
import { messageAfter } from '../harness/message-after.ts'
import { button, preview, text } from '../harness/parts.ts'
import { drawer } from '../harness/table.ts'
import { events, harness } from './stack.ts'

test('an Arabic translation is added beside the original, previewed from right to left, published and sent', async () => {
  const { env } = harness
  const path = `/api/v1/applications/${env.applicationId}/events`
  const email = { subject: 'Bill', html_body: '<p>You owe {{ total | number }}</p>' }
  const templates = { sms: { body: 'You owe {{ total | number }}, {{ name }}' }, email }
  const german = { sms: { body: 'Sie schulden {{ total | number }}' } }
  await env.api('POST', path, {
    token: env.operatorToken,
    body: { event_key: 'bill.due', name: 'Bill', allowed_channels: ['sms'], templates, translations: { de: german } },
  })
  const stored = async () => (await env.api('GET', `${path}/bill.due`, { token: env.operatorToken })).body

  const page = await harness.signIn({ path: `${events()}/bill.due?tab=sms` })
  const languages = page.getByRole('navigation', { name: 'Languages' })
  await languages.getByText('German (de)').waitFor()
  // An edit elsewhere keeps the translation, and marks it once the original has changed.
  const changeOriginal = async (when: string) => {
    await text(page).fill(`You owe {{ total | number }} ${when}, {{ name }}`)
    await languages.getByText('Outdated').waitFor()
    await messageAfter(page, 'The draft is saved.', () => page.keyboard.press('Control+s'))
    expect((await stored()).translations).toEqual({ de: german })
    await languages.getByText('Outdated').waitFor()
  }
  await changeOriginal('today')
  await languages.getByText('German (de)').click()
  await expectSound(page)
  // It still fits, and is confirmed as it is; the next change marks it again.
  await messageAfter(page, 'The translation is marked as up to date.', () => button(page, 'Mark as up to date').click())
  await page.getByRole('list', { name: 'Coverage' }).getByText('SMS: translated').waitFor()
  await button(page, 'Mark as up to date').waitFor({ state: 'detached' })
  await languages.getByText('Original').click()
  await eventually(async () => expect(await text(page).inputValue()).toContain('today'))
  await changeOriginal('now')

  await button(page, 'Add a language').click()
  await page.getByLabel('Language tag').fill('arabic egypt')
  await button(page, 'Add the language').click()
  await drawer(page).getByText('Write a language tag such as de').waitFor()
  await page.getByLabel('Language tag').fill('ar-eg')
  await expectSound(page)
  await button(page, 'Add the language').click()
  await page.waitForURL('**locale=ar-EG')
  await button(page, 'Translate the template').click()
  expect(await text(page).inputValue()).toBe('You owe {{ total | number }} now, {{ name }}')
  await text(page).fill('عليك {{ total | number }} يا {{ name }}')
  await page.getByLabel('Sample data (optional)').fill('{ "total": 1234.5 }')
  await preview(page).locator('[dir=rtl][lang=ar-EG]').getByText('عليك ١٬٢٣٤٫٥').waitFor()
  await preview(page).getByText('1 segment in UCS-2').waitFor()
  await page.getByRole('region', { name: 'Original: SMS text' }).getByText('You owe').waitFor()
  const own = freshPhone()
  await page.getByLabel('Your number').fill(own)
  await button(page, 'Send a test').click()
  await eventually(async () => expect((await env.messages({ to: own }))[0]?.text).toMatch(/^عليك ١٬٢٣٤٫٥/))
  await page.getByRole('list', { name: 'Coverage' }).getByText('Email: missing').waitFor()
  await expectSound(page)

  await page.getByRole('link', { name: 'Email' }).click()
  await button(page, 'Translate the template').click()
  await page.getByLabel('HTML (optional)').fill('<p>عليك {{ total | number }}</p>')
  const shown = page.frameLocator('iframe[title="HTML of the email"]')
  await shown.locator('html[dir=rtl][lang=ar-EG]').getByText('عليك ١٬٢٣٤٫٥').waitFor()

  await button(page, 'Publish').click()
  await drawer(page).getByText('German (de): Email is missing, SMS is outdated').waitFor()
  await drawer(page).getByRole('region', { name: 'Changes: SMS text, Arabic (Egypt) (ar-EG)' }).waitFor()
  await expectSound(page)
  await button(page, 'Publish version 1').click()
  await page.getByText('Version 1 is published. German (de): Email is missing, SMS is outdated.').waitFor()
  expect(Object.keys((await stored()).translations)).toEqual(expect.arrayContaining(['ar-EG', 'de']))

  await page.goto(harness.url(`${events()}/bill.due?tab=sms&locale=de`))
  await button(page, 'Remove the language').click()
  await languages.getByText('German (de)').waitFor({ state: 'detached' })
  await messageAfter(page, 'The draft is saved.', () => page.keyboard.press('Control+s'))
  expect(Object.keys((await stored()).draft.translations)).toEqual(['ar-EG'])

  const request = { channel: 'sms', recipient: { phone: freshPhone() }, event_key: 'bill.due' }
  const data = { total: 7, name: 'Ada' }
  const id: string = (await post(env, { ...request, data, locale: 'ar-EG-u-nu-arab' })).body.notification_id
  await untilActivity(env, id, { locale: 'ar-EG' })
  await page.goto(harness.url('/activity?locale=ar-EG'))
  await page.locator(`tr[data-row="${id}"]`).click()
  await drawer(page)
    .getByText(/^Arabic \(Egypt\) \(ar-EG\), requested: .*ar-EG-u-nu-arab/)
    .waitFor()
  await expectSound(page)
})
