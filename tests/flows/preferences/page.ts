import { expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { expectProblem, post } from '@notify/test-kit/api'
import { addDigest } from '@notify/test-kit/digests'
import { emailOf, emailTo, freshAddress } from '@notify/test-kit/email'
import { freshUser } from '@notify/test-kit/inbox'
import { freshPhone, smsTo } from '@notify/test-kit/sms'
import { addTopic, env, fieldsOf, follow, lookUp, mail, oneClick, postForm } from './stack.ts'

test('the page is in the language of the user, also behind an event without that language', async () => {
  const [user, to, event_key] = [freshUser(), freshAddress(), `event-${crypto.randomUUID()}`]
  const event = await env.api('POST', `/api/v1/applications/${env.applicationId}/events`, {
    token: env.operatorToken,
    body: {
      ...{ event_key, name: 'News', status: 'published', allowed_channels: ['email'], topic: await addTopic() },
      templates: { email: { subject: 'News', body: 'Leave: {{ unsubscribe_url }}' } },
    },
  })
  expect(event.status).toBe(201)
  await env.api('PUT', `/api/v1/users/${user}`, { body: { email: to, locale: 'de' } })
  await post(env, { channel: 'email', event_key, recipient: { user_id: user } })
  const { text } = await eventually(() => emailOf(env, to))
  expect((await follow(/https?:\S+/.exec(text)![0])).text).toContain('<html lang="de" dir="ltr">')
})

test('topics on the page are in its language, or in one that the recipient prefers', async () => {
  const names = { en: `Weekly ${freshUser()}`, de: `Wochenblatt ${freshUser()}`, sv: `Veckobrev ${freshUser()}` }
  const translations = { de: { name: names.de }, sv: { name: names.sv } }
  const topic = await addTopic({ name: names.en, translations })
  const shown = async (locale: string, languages: string) => {
    const { url } = await mail(freshAddress(), topic, { locale })
    const { text } = await follow(url, { headers: { accept: 'text/html', 'accept-language': languages } })
    return [/<html lang="(\w+)"/.exec(text)?.[1], ...Object.values(names).filter((name) => text.includes(name))]
  }
  expect(await shown('en', 'en-US,en;q=0.9,de;q=0.8')).toEqual(['en', names.en])
  expect(await shown('sv', 'de-AT,de;q=0.9,en;q=0.8')).toEqual(['de', names.sv])
  expect(await shown('nb', 'de-AT,sv;q=0.9')).toEqual(['de', names.de])
})

test('the page saves choices, stops everything and starts it again', async () => {
  const [one, other] = [await addTopic(), await addTopic({ kind: 'off' })]
  const to = freshAddress()
  const { url } = await mail(to, one)
  const submit = (fields: [string, string][]) => postForm(url, fields)
  const listed: [string, string][] = [
    ['listed', one],
    ['listed', other],
    ['shown_off', other],
  ]
  // What is no frequency, and one of a topic without digests, are left out.
  const often: [string, string][] = [
    [`frequency.${one}`, 'daily'],
    [`frequency.${other}`, 'yearly'],
    ['frequency.', 'weekly'],
  ]
  expect((await submit([['action', 'save'], ...often])).status).toBe(200)
  expect((await lookUp(to)).rules).toEqual([])
  await submit([['action', 'save'], ...listed, ['topic', other]])
  expect((await lookUp(to)).rules).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ topic: one, state: 'off', source: 'page' }),
      expect.objectContaining({ topic: other, state: 'on' }),
    ]),
  )
  expect((await post(env, emailTo(to, { topic: other }))).status).toBe(202)
  await submit([['action', 'stop_all']])
  expectProblem(await post(env, emailTo(to, { topic: other })), 422, 'recipient_opted_out')
  await submit([['action', 'start_again']])
  expect((await post(env, emailTo(to, { topic: other }))).status).toBe(202)
  expectProblem(await post(env, emailTo(to, { topic: one })), 422, 'recipient_opted_out')
})

test('a page that was opened before one click saves only what its reader changes there', async () => {
  const [news, offers, rare] = [await addTopic(), await addTopic(), await addTopic({ kind: 'off' })]
  await addDigest(env, news)
  const to = freshAddress()
  const { url } = await mail(to, news)
  const { text: page } = await follow(url)
  await oneClick(url)
  expect((await postForm(url, fieldsOf(page, offers, rare))).status).toBe(200)
  const chosen = [
    expect.objectContaining({ topic: news, state: 'off', source: 'one_click' }),
    expect.objectContaining({ topic: offers, state: 'off', source: 'page' }),
    expect.objectContaining({ topic: rare, state: 'on', source: 'page' }),
  ]
  const { rules } = await lookUp(to)
  expect(rules).toHaveLength(3)
  expect(rules).toEqual(expect.arrayContaining(chosen))
  // Another frequency is no consent either.
  const often = fieldsOf(page).map(([name, value]): [string, string] => [
    name,
    name === `frequency.${news}` ? 'daily' : value,
  ])
  await postForm(url, often)
  expect((await lookUp(to)).rules).toEqual(rules)
})

test('a topic that is switched off while everything is off stays off when messages are received again', async () => {
  const [news, offers] = [await addTopic(), await addTopic()]
  const to = freshAddress()
  const { url } = await mail(to, news)
  const { text: page } = await follow(url)
  await postForm(url, [['action', 'stop_all']])
  expect((await postForm(url, fieldsOf(page, offers))).status).toBe(200)
  await postForm(url, [['action', 'start_again']])
  expect((await lookUp(to)).rules).toEqual([expect.objectContaining({ topic: offers, state: 'off', source: 'page' })])
})

test('a page leaves the frequency that was chosen on another one', async () => {
  const [news, offers] = [await addTopic(), await addTopic()]
  await addDigest(env, news)
  const to = freshAddress()
  const { url } = await mail(to, news)
  const { text: page } = await follow(url)
  const weekly = fieldsOf(page).map(([name, value]): [string, string] => [
    name,
    name === `frequency.${news}` ? 'weekly' : value,
  ])
  await postForm(url, weekly)
  await postForm(url, fieldsOf(page, offers))
  expect((await lookUp(to)).rules).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ topic: news, state: 'on', frequency: 'weekly' }),
      expect.objectContaining({ topic: offers, state: 'off' }),
    ]),
  )
})

test('a form that does not say what it showed switches topics off, and none on', async () => {
  const [news, offers] = [await addTopic(), await addTopic()]
  const to = freshAddress()
  const { url } = await mail(to, news)
  await oneClick(url)
  const listed: [string, string][] = [news, offers].map((topic) => ['listed', topic])
  await postForm(url, [['action', 'save'], ...listed, ['topic', news], [`frequency.${news}`, 'daily']])
  expect((await lookUp(to)).rules).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ topic: news, state: 'off', source: 'one_click' }),
      expect.objectContaining({ topic: offers, state: 'off' }),
    ]),
  )
})

test('starting again on the page of an email leaves the other channels off', async () => {
  const topic = await addTopic({ channels: ['email', 'sms', 'in_app'] })
  const [user, to, phone] = [freshUser(), freshAddress(), freshPhone()]
  await env.api('PUT', `/api/v1/users/${user}`, { body: { email: to, phone } })
  const { url } = await mail(to, topic, { recipient: { user_id: user } })
  const everything = { topic: '*', channel: '*', state: 'off' }
  await env.api('PATCH', `/api/v1/users/${user}/preferences`, { body: { rules: [everything] } })
  expect((await follow(url)).text).toContain('value="start_again"')
  await postForm(url, [['action', 'start_again']])
  const ofUser = { recipient: { user_id: user }, topic }
  expect((await post(env, emailTo(to, ofUser))).status).toBe(202)
  expectProblem(await post(env, smsTo(phone, ofUser)), 422, 'recipient_opted_out')
  expectProblem(
    await post(env, { channel: 'in_app', title: 'News', body: 'News', ...ofUser, recipient: user }),
    422,
    'recipient_opted_out',
  )
  // What is lifted for the user is not made for the address.
  expect((await lookUp(to)).rules).toEqual([])
})

test('the page says that everything is off only while it is, though the topic of its message is deleted or required', async () => {
  const allOff = 'unsubscribed from everything'
  const path = (topic: string) => `/api/v1/applications/${env.applicationId}/topics/${topic}`
  const token = env.operatorToken
  const [deleted, required] = [await addTopic(), await addTopic()]
  const terms = { name: 'Terms of use', channels: ['email'], kind: 'required' }
  const [ofDeleted, ofRequired] = [await mail(freshAddress(), deleted), await mail(freshAddress(), required)]
  expect((await env.api('DELETE', path(deleted), { token })).status).toBe(204)
  expect((await env.api('PUT', path(required), { token, body: terms })).status).toBe(200)
  const saved = (await oneClick(ofDeleted.url)).text
  expect(saved).toContain('Your choice is saved.')
  expect(saved).not.toContain(allOff)
  expect((await follow(ofRequired.url)).text).not.toContain('One-Click')
  const kept = (await oneClick(ofRequired.url)).text
  expect(kept).toContain('<p role="status" class="done"><bdi>Terms of use</bdi>: Always sent</p>')
  expect(kept).not.toContain(allOff)
  await postForm(ofDeleted.url, [['action', 'stop_all']])
  expect((await oneClick(ofDeleted.url)).text).toContain(allOff)
})
