import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { freshPhone } from '@notify/test-kit/sms'
import { expectSound } from '../harness/expect-sound.ts'
import { messageAfter } from '../harness/message-after.ts'
import { button, preview } from '../harness/parts.ts'
import { events, harness } from './stack.ts'

const stored = async (key: string) => {
  const { env } = harness
  const path = `/api/v1/applications/${env.applicationId}/events/${key}`
  return (await env.api('GET', path, { token: env.operatorToken })).body
}

test('the digest of an event is edited with its settings, refused at its fields, and published with the draft', async () => {
  const { env } = harness
  const key = `comments.${crypto.randomUUID()}`
  const templates = { sms: { body: '{{ total }} comments' } }
  const event = { event_key: key, name: 'Comments', allowed_channels: ['sms'], templates }
  const path = `/api/v1/applications/${env.applicationId}/events`
  expect((await env.api('POST', path, { token: env.operatorToken, body: event })).status).toBe(201)
  const page = await harness.signIn({ path: `${events()}/${key}?tab=settings` })
  const together = page.getByLabel('Put messages to one recipient together')
  expect(await together.inputValue()).toBe('none')
  await together.selectOption('seconds')
  await page.getByLabel('Seconds', { exact: true }).fill('60')
  await page.getByLabel('Each message begins the time again').check()
  await page.getByLabel('At most').fill('30')
  await button(page, 'Save the draft').click()
  await page.locator('input[name="digest.max_wait"][aria-invalid=true]').waitFor()
  await page.getByText('must be at least the seconds of the window', { exact: true }).waitFor()
  await page.getByLabel('At most').fill('600')
  await page.getByLabel('Variable (optional)').fill('no variable')
  await page.getByLabel('Messages shown').fill('many')
  await button(page, 'Save the draft').click()
  for (const name of ['digest.key', 'digest.show'])
    await page.locator(`input[name="${name}"][aria-invalid=true]`).waitFor()
  await expectSound(page)
  expect((await stored(key)).digest).toBeNull()
  await page.reload()
  await page.getByText('Not saved').waitFor()
  expect(await page.getByLabel('At most').inputValue()).toBe('600')
  await page.getByLabel('Variable (optional)').fill('post')
  await page.getByLabel('Messages shown').fill('3')
  await page.getByLabel('The first message').selectOption('now')
  await messageAfter(page, 'The draft is saved.', () => button(page, 'Save the draft').click())
  const digest = { key: 'post', window: { seconds: 60 }, sliding: true, max_wait: 600, first: 'now', show: 3 }
  expect((await stored(key)).digest).toEqual(digest)

  await together.selectOption('weekly')
  await page.getByLabel('Day', { exact: true }).selectOption('friday')
  await page.getByLabel('Time', { exact: true }).fill('25:00')
  await button(page, 'Save the draft').click()
  await page.locator('input[name="digest.window.weekly.at"][aria-invalid=true]').waitFor()
  await page.getByLabel('Time', { exact: true }).fill('17:30')
  await messageAfter(page, 'The draft is saved.', () => button(page, 'Save the draft').click())
  const { window, sliding } = (await stored(key)).digest
  expect([window, sliding]).toEqual([{ weekly: { day: 'friday', at: '17:30' } }, false])
  await together.selectOption('none')
  await messageAfter(page, 'The draft is saved.', () => button(page, 'Save the draft').click())
  expect((await stored(key)).digest).toBeNull()
  await expectSound(page)
})

test('the preview and the test message of a digest show three items with the sample data', async () => {
  const { env } = harness
  const body = '{{ total }} comments, of {% for one in items %}{{ one.author }} {% endfor %}and {{ more }} more'
  const digest = { key: 'post', window: { seconds: 3600 }, show: 2 }
  const event = { event_key: 'comment.added', name: 'Comments', allowed_channels: ['sms'] }
  const path = `/api/v1/applications/${env.applicationId}/events`
  await env.api('POST', path, { token: env.operatorToken, body: { ...event, templates: { sms: { body } }, digest } })
  const page = await harness.signIn({ path: `${events()}/comment.added?tab=sms` })
  await preview(page).getByText('3 comments, of [author] [author] and 1 more').waitFor()
  await page.getByLabel('Sample data (optional)').fill('{ "author": "Ada" }')
  const shown = '3 comments, of Ada Ada and 1 more'
  await preview(page).getByText(shown).waitFor()
  const own = freshPhone()
  await page.getByLabel('Your number').fill(own)
  await button(page, 'Send a test').click()
  await eventually(async () => expect((await env.messages({ to: own }))[0]?.text).toContain(shown))
})
