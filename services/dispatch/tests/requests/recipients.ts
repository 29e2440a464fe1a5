import { expect, test } from '@jest/globals'
import { KeyPermission, newId } from '@notify/contracts'
import { expectProblem, post, stateOf, untilState } from '@notify/test-kit/api'
import { addKey } from '@notify/test-kit/callers'
import { emailTo, freshAddress } from '@notify/test-kit/email'
import { searchColumns } from '@notify/test-kit/search-columns'
import { freshPhone, smsTo } from '@notify/test-kit/sms'
import { env } from './stack.ts'

const freshUserId = () => `user-${crypto.randomUUID()}`
const pathOf = (userId: string) => `/api/v1/users/${encodeURIComponent(userId)}`
const put = (userId: string, body: object, request: object = {}) => env.api('PUT', pathOf(userId), { body, ...request })

test('a user is created, replaced as a whole and deleted', async () => {
  const userId = `${freshUserId()} /?é`
  const phone = freshPhone()
  const first = { email: freshAddress(), phone, locale: 'pt-br', timezone: 'Asia/Kolkata' }
  const created = await put(userId, first)
  expect([created.status, created.body]).toMatchObject([200, { user_id: userId, ...first, locale: 'pt-BR' }])
  expect(created.body.quiet_hours).toBeNull()
  const quiet_hours = { start: '22:00', end: '08:00' }
  const replaced = await put(userId, { phone, timezone: 'Asia/Kolkata', quiet_hours })
  const whole = { user_id: userId, email: null, phone, locale: null, timezone: 'Asia/Kolkata', quiet_hours }
  expect(replaced.body).toMatchObject({ ...whole, created_at: created.body.created_at })
  expect((await env.api('GET', pathOf(userId))).body).toEqual(replaced.body)
  expect((await env.api('DELETE', pathOf(userId))).status).toBe(204)
  expectProblem(await env.api('GET', pathOf(userId)), 404, 'not_found')
  expectProblem(await env.api('DELETE', pathOf(userId)), 404, 'not_found')
})

test.each([
  [{ email: 'ada' }, 'email'],
  [{ email: 'ädä@shop.example' }, 'email'],
  [{ email: 'ada@shop.123' }, 'email'],
  [{ phone: '0170' }, 'phone'],
  [{ locale: 'x y' }, 'locale'],
  [{ timezone: 'Europe/Nowhere' }, 'timezone'],
  [{ timezone: 'BST' }, 'timezone'],
  [{ timezone: '+01:00' }, 'timezone'],
  [{ quiet_hours: { start: '22:00', end: '08:00' } }, 'timezone'],
  [{ timezone: 'UTC', quiet_hours: { start: '22:00', end: '22:00' } }, 'quiet_hours.end'],
  [{ timezone: 'UTC', quiet_hours: { start: '24:00', end: '08:00' } }, 'quiet_hours.start'],
  [{ name: 'Ada' }, 'name'],
])('a user with %j is refused', async (body, path) => {
  const answer = await put(freshUserId(), body)
  expectProblem(answer, 422, 'validation_failed')
  expect(answer.body.errors).toContainEqual({ path, message: expect.any(String) })
})

test.each(['EST', 'UTC', 'Asia/Calcutta'])('a user may have the time zone %s', async (timezone) => {
  const { status, body } = await put(freshUserId(), { timezone })
  expect([status, body.timezone]).toEqual([200, timezone])
})

test('a user may have any email address that a send may have, and keeps it in ASCII', async () => {
  const userId = freshUserId()
  const local = `Ada-${crypto.randomUUID()}`
  const { body } = await put(userId, { email: `${local}@BÜCHER.example` })
  expect(body.email).toBe(`${local}@xn--bcher-kva.example`)
  expect((await env.api('GET', pathOf(userId))).body).toEqual(body)
  const sent = await post(env, emailTo({ user_id: userId }))
  expect(sent.status).toBe(202)
  await untilState(env, sent.body.notification_id, { delivery_status: 'delivered' })
})

test('a webhook is for an address alone: a user cannot be named for it', async () => {
  const userId = freshUserId()
  await put(userId, { email: freshAddress(), phone: freshPhone() })
  expectProblem(
    await post(env, { channel: 'webhook', recipient: { user_id: userId }, body: 'Hi' }),
    422,
    'recipient_unknown',
  )
})

test('a key needs the permission to manage recipients', async () => {
  const { apiKey: key } = await addKey(env, env, { permissions: ['notifications:send'] })
  expectProblem(await put(freshUserId(), {}, { key }), 403, 'permission_denied')
})

test('a notification to a user goes to the address that the user had when it was accepted', async () => {
  const userId = freshUserId()
  const [first, second, email] = [freshPhone(), freshPhone(), freshAddress()]
  await put(userId, { phone: first, email })
  const recipient = { user_id: userId }
  const send_at = new Date(Date.now() + 1500).toISOString()
  const later = await post(env, smsTo(first, { recipient, send_at }))
  await put(userId, { phone: second, email })
  const now = await post(env, smsTo(first, { recipient }))
  const mail = await post(env, emailTo({ user_id: userId, name: 'Ada' }))
  expect([later.status, now.status, mail.status]).toEqual([202, 202, 202])
  for (const { body } of [later, now, mail])
    await untilState(env, body.notification_id, { delivery_status: 'delivered' })
  expect(await env.messages({ to: first })).toHaveLength(1)
  expect(await env.messages({ to: second })).toHaveLength(1)
  expect(await env.messages({ to: email, channel: 'email' })).toHaveLength(1)
  await env.api('DELETE', pathOf(userId))
  expectProblem(await post(env, smsTo(first, { recipient })), 422, 'recipient_unknown')
})

test('an item of a batch may name a user', async () => {
  const userId = freshUserId()
  await put(userId, { phone: freshPhone() })
  const requests = [{ user_id: userId }, { user_id: freshUserId() }].map((recipient) => smsTo('', { recipient }))
  const { body } = await env.api('POST', '/api/v1/notifications/batch', { body: { requests } })
  expect(body.results).toMatchObject([{ status: 'accepted' }, { error: { code: 'recipient_unknown' } }])
})

test('a user without an address of the channel is unknown to it', async () => {
  const userId = freshUserId()
  await put(userId, { email: freshAddress() })
  const recipient = { user_id: userId }
  const answer = await post(env, smsTo('', { recipient }))
  expectProblem(answer, 422, 'recipient_unknown')
  expect(answer.body.errors).toEqual([{ path: 'recipient.user_id', message: expect.stringContaining('sms') }])
  const noUrl = await post(env, { channel: 'webhook', recipient, data: {}, body: 'x' })
  expectProblem(noUrl, 422, 'recipient_unknown')
  expect(noUrl.body.errors).toEqual([{ path: 'recipient.user_id', message: expect.stringContaining('recipient.url') }])
  expect((await post(env, { channel: 'in_app', recipient, title: 'Hi', body: 'Ready' })).status).toBe(202)
})

test.each([
  [{ user_id: 7 }, 'invalid_recipient', 'recipient.user_id'],
  [{ user_id: '' }, 'invalid_recipient', 'recipient.user_id'],
  [{ user_id: 'ada', phone: '+15551230001' }, 'validation_failed', 'recipient.phone'],
])('a recipient %j is refused', async (recipient, code, path) => {
  const answer = await post(env, smsTo('', { recipient }))
  expectProblem(answer, 422, code)
  expect(answer.body.errors[0].path).toBe(path)
})

test('the language and the zone of a user count after those of the request', async () => {
  const userId = freshUserId()
  const email = freshAddress()
  await put(userId, { email, locale: 'de', timezone: 'Asia/Kolkata' })
  const event_key = `people.${newId('evt')}`
  const written = (word: string) => ({ email: { subject: word, body: '{{ at | date_time }}' } })
  const event = {
    event_key,
    name: 'Table',
    status: 'published',
    allowed_channels: ['email'],
    templates: written('Table'),
  }
  const translations = { de: written('Tisch'), fr: written('Table ronde') }
  const path = `/api/v1/applications/${env.applicationId}/events`
  const made = await env.api('POST', path, { token: env.operatorToken, body: { ...event, translations } })
  expect(made.status).toBe(201)
  const request = { channel: 'email', event_key, data: { at: '2026-11-21T09:30:00Z' }, recipient: { user_id: userId } }
  const ids = []
  for (const own of [{}, { locale: 'fr', time_zone: 'UTC' }]) {
    const { status, body } = await post(env, { ...request, ...own })
    expect(status).toBe(202)
    ids.push(body.notification_id)
  }
  for (const id of ids) await untilState(env, id, { delivery_status: 'delivered' })
  expect(await stateOf(env, ids[0])).toMatchObject({ locale: 'de', requested_locale: null })
  const texts = (await env.messages({ to: email, channel: 'email' })).map(({ subject, text }) => [subject, text])
  expect(texts).toContainEqual(['Tisch', expect.stringContaining('15:00')])
  expect(texts).toContainEqual(['Table ronde', expect.stringContaining('09:30')])
})

test('test keys have users of their own', async () => {
  const { apiKey: key } = await addKey(env, env, {
    mode: 'test',
    permissions: [...KeyPermission.options].filter((one) => one !== 'domains:manage' && one !== 'webhooks:manage'),
  })
  const userId = freshUserId()
  await put(userId, { phone: freshPhone() })
  expectProblem(await env.api('GET', pathOf(userId), { key }), 404, 'not_found')
  expectProblem(await post(env, smsTo('', { recipient: { user_id: userId } }), { key }), 422, 'recipient_unknown')
})

test('nothing of a user is readable in the database', async () => {
  const userId = freshUserId()
  const fields = { email: freshAddress(), phone: freshPhone(), timezone: 'Asia/Kathmandu' }
  await put(userId, fields)
  const { found, columns } = await searchColumns(env.admin, ['dispatch'], [userId, ...Object.values(fields)])
  expect(found).toEqual([])
  expect(columns).toContain('dispatch.recipients.content')
})
