import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { expectSound } from '../harness/expect-sound.ts'
import { messageAfter } from '../harness/message-after.ts'
import { button, question } from '../harness/parts.ts'
import { drawer, rowAfter } from '../harness/table.ts'
import { events, harness } from './stack.ts'

const call = (method: string, path: string, body?: object) => {
  const { env } = harness
  const request = { token: env.operatorToken, ...(body ? { body } : {}) }
  return env.api(method, `/api/v1/applications/${env.applicationId}${path}`, request)
}

test('a topic is created in two languages, changed, named by an event, and kept while that names it', async () => {
  const { env } = harness
  const made = await env.api('POST', '/api/v1/applications', { token: env.operatorToken, body: { name: 'Empty' } })
  const page = await harness.signIn({ path: `/topics/${made.body.application_id}` })
  await page.getByText('No topics yet').waitFor()
  await page.goto(harness.url(`/topics/${env.applicationId}`))
  await page.getByText('Weekly offers').waitFor()
  await button(page, 'New topic').first().click()
  const form = page.getByRole('dialog', { name: 'New topic' })
  await form.getByLabel('Key').fill('no key')
  await form.getByLabel('Name', { exact: true }).fill('<b>Newsletter</b>')
  await form.getByLabel('Position').fill('first')
  await button(page, 'Create the topic').click()
  await form.locator('input[name=topic_key][aria-invalid=true]').waitFor()
  await form.locator('input[name=position][aria-invalid=true]').waitFor()
  await form.getByLabel('Key').fill('newsletter')
  await form.getByLabel('Position').fill('7')
  await button(page, 'Add a language').click()
  await page.getByLabel('Language tag').fill('de')
  await button(page, 'Add the language').click()
  await form.getByLabel('Name in German (de)').fill('Rundbrief')
  expect((await call('GET', '/topics/newsletter')).status).toBe(404)
  await expectSound(page)
  await messageAfter(page, 'The topic is created.', () => button(page, 'Create the topic').click())
  expect((await call('GET', '/topics/newsletter')).body).toMatchObject({
    ...{ name: '<b>Newsletter</b>', kind: 'on', channels: ['email'], position: 7 },
    translations: { de: { name: 'Rundbrief', description: '' } },
  })

  await page.getByText('<b>Newsletter</b>').waitFor()
  await expectSound(page)
  for (const key of ['weekly-offers', 'newsletter']) expect(await rowAfter(page, 'j')).toBe(key)
  await page.keyboard.press('Enter')
  await page.waitForURL('**/newsletter')
  await drawer(page).getByLabel('In-app').check()
  await drawer(page).getByLabel('Kind').selectOption('off')
  await expectSound(page)
  await messageAfter(page, 'The topic is saved. Accepted messages follow it too.', () =>
    button(page, 'Save the topic').click(),
  )
  expect((await call('GET', '/topics/newsletter')).body).toMatchObject({ kind: 'off', channels: ['email', 'in_app'] })

  const content = { name: 'News', allowed_channels: ['email'], templates: { email: { subject: 'S', body: 'B' } } }
  expect((await call('POST', '/events', { event_key: 'news.weekly', ...content })).status).toBe(201)
  await page.goto(harness.url(`${events()}/news.weekly?tab=settings`))
  await page.getByLabel('Topic').selectOption({ label: '<b>Newsletter</b> (newsletter)' })
  await messageAfter(page, 'The draft is saved.', () => button(page, 'Save the draft').click())
  await eventually(async () => expect((await call('GET', '/events/news.weekly')).body.topic).toBe('newsletter'))
  await expectSound(page)

  await page.goto(harness.url(`/topics/${harness.env.applicationId}/newsletter`))
  await button(page, 'Delete').click()
  await button(page, 'Delete the topic').click()
  await question(page).getByText('news.weekly').waitFor()
  await expectSound(page)
  expect((await call('PUT', '/events/news.weekly', { ...content, topic: null })).status).toBe(200)
  await messageAfter(page, 'The topic is deleted.', () => button(page, 'Delete the topic').click())
  expect((await call('GET', '/topics/newsletter')).status).toBe(404)
})

test('without topics:manage the topics are not shown, and an event names its topic by key', async () => {
  const { env } = harness
  const page = await harness.signInAs({ permissions: ['events:manage'] }, { path: `/topics/${env.applicationId}` })
  await page.getByText('topics:manage').waitFor()
  expect(await page.getByRole('link', { name: 'Topics' }).count()).toBe(0)
  await page.goto(harness.url(`${events()}/order.shipped?tab=settings`))
  await page.getByText('Its key. Names are shown with the permission').waitFor()
  await expectSound(page)
})
