import { describe, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { activity, untilActivity } from '@notify/test-kit/activity'
import { stateOf, untilState } from '@notify/test-kit/api'
import { addKey } from '@notify/test-kit/callers'
import { freshPhone } from '@notify/test-kit/sms'
import { add, addEvent, anHour, close, digestsOf, env, fresh, itemOf, operator, textsTo, untilTexts } from './stack.ts'

const digested = { delivery_status: 'cancelled', failure_reason: 'digested', retryable: false, credits: 0 }

describe('a digest', () => {
  test('sends one message for its items, with their exact number and the first of them; each item ends and names it', async () => {
    const { event_key, phone } = await fresh({ window: { seconds: 3600 }, show: 2 })
    const ids: string[] = []
    for (const name of ['Ada', 'Bob', 'Cy', 'Dee']) ids.push(await add(event_key, phone, name))
    const [{ id: digest_id }] = await digestsOf(event_key)
    for (const id of ids) expect(await stateOf(env, id)).toMatchObject({ delivery_status: 'scheduled', digest_id })
    expect(await textsTo(phone)).toEqual([])
    await close(event_key)
    await untilTexts(phone, ['Dee: 4, Ada, Bob and 2 more'])
    for (const id of ids) expect(await stateOf(env, id)).toMatchObject({ ...digested, digest_id, attempts: [] })
    await untilActivity(env, ids[0]!, { status: 'cancelled', failure_reason: 'digested', digest_id })
    const { rows } = await env.admin.query(
      `select id from dispatch.notifications where digest_id = $1 and not id = any ($2)`,
      [digest_id, ids],
    )
    expect(rows).toHaveLength(1)
    await untilState(env, rows[0].id, { delivery_status: 'delivered', digest_id, credits: 1, event_key })
    await eventually(async () => {
      const { body } = await activity(env, { digest_id })
      expect(body.total_count).toBe(5)
      const found = body.items.map(({ transaction_id }: { transaction_id: string }) => transaction_id)
      expect(found.sort()).toEqual([...ids, rows[0].id].sort())
    })
  })

  test('is one for each event, recipient, key, priority and mode of key', async () => {
    const digest = { window: { seconds: 3600 }, key: 'post' }
    const { event_key, phone } = await fresh(digest)
    const other = await addEvent(digest)
    const data = (name: string, post: unknown) => ({ data: { name, post } })
    await add(event_key, phone, '', data('Ada', 'p1'))
    await add(event_key, phone, '', data('Bob', 'p1'))
    await add(event_key, phone, '', data('Cy', 2))
    await add(event_key, phone, '', { ...data('Dee', 'p1'), priority: 'bulk' })
    await add(event_key, phone, '', data('Eve', 'p1'), { token: (await addKey(env, env, { mode: 'test' })).apiKey })
    await add(event_key, freshPhone(), '', data('Fay', 'p1'))
    await add(other, phone, '', data('Gus', 'p1'))
    expect((await digestsOf(event_key)).map(({ joined }) => joined)).toEqual([2, 1, 1, 1, 1])
    expect(await digestsOf(other)).toHaveLength(1)
  })

  test('takes no item that was cancelled or has expired before its close', async () => {
    const { event_key, phone } = await fresh()
    const cancelled = await add(event_key, phone, 'Ada')
    const expires_at = new Date(Date.now() + 60_000).toISOString()
    const expiring = await add(event_key, phone, 'Bob', { expires_at })
    const kept = await add(event_key, phone, 'Cy', { expires_at })
    expect((await env.api('POST', `/api/v1/notifications/${cancelled}/cancel`)).status).toBe(200)
    await env.admin.query('update dispatch.notifications set expires_at = now() where id = $1', [expiring])
    await close(event_key)
    await untilTexts(phone, ['Cy: 1, Cy and 0 more'])
    expect(await stateOf(env, kept)).toMatchObject(digested)
    expect(await stateOf(env, cancelled)).toMatchObject({ delivery_status: 'cancelled', failure_reason: null })
    await untilState(env, expiring, { delivery_status: 'cancelled', failure_reason: 'expired' })
  })

  test('without items left sends nothing', async () => {
    const { event_key, phone } = await fresh()
    const id = await add(event_key, phone, 'Ada')
    await env.api('POST', `/api/v1/notifications/${id}/cancel`)
    await close(event_key)
    const { rows } = await env.admin.query('select from dispatch.notifications where event_key = $1', [event_key])
    expect([rows.length, await textsTo(phone)]).toEqual([1, []])
  })

  test('is sent by the templates that are published then, also of an event that was deactivated', async () => {
    const { event_key, phone } = await fresh()
    await add(event_key, phone, 'Ada')
    const path = `/applications/${env.applicationId}/events/${event_key}`
    const templates = { sms: { body: 'New: {{ total }} of {{ name }}' } }
    await operator('PUT', path, { name: 'News', allowed_channels: ['sms'], templates })
    expect((await operator('POST', `${path}/publish`)).status).toBe(200)
    expect((await operator('POST', `${path}/deactivate`)).status).toBe(200)
    await close(event_key)
    await untilTexts(phone, ['New: 1 of Ada'])
  })

  test('shows operators what an item said, and what its message says', async () => {
    const { event_key, phone } = await fresh()
    const id = await add(event_key, phone, 'Ada')
    const content = async (of: string) => (await operator('POST', `/activity/${of}/content`)).body.content
    await untilActivity(env, id, { status: 'scheduled' })
    expect(await content(id)).toEqual({ data: { name: 'Ada' } })
    await close(event_key)
    expect(await content(id)).toEqual({ data: { name: 'Ada' } })
  })

  test('shows fewer items where all of them make a text too long', async () => {
    const templates = { sms: { body: '{{ total }}{% for one in items %}{{ one.name }}{% endfor %}{{ more }}' } }
    const { event_key, phone } = await fresh({ window: { seconds: 3600 }, show: 8 }, { templates })
    for (let at = 0; at < 8; at++) await add(event_key, phone, String(at).repeat(400))
    await close(event_key)
    await untilTexts(phone, [`8${'0'.repeat(400)}${'1'.repeat(400)}6`])
  })
})

test('digests of many items that are due together are closed in a transaction each', async () => {
  const event_key = await addEvent(anHour)
  const phones = [freshPhone(), freshPhone(), freshPhone()]
  for (const phone of phones) await add(event_key, phone, 'Ada')
  await env.admin.query('update dispatch.digests set joined = 6000 where event_key = $1', [event_key])
  await close(event_key)
  for (const phone of phones) await untilTexts(phone, ['Ada: 1, Ada and 0 more'])
  const { rows } = await env.admin.query(
    `select count(distinct updated_at)::int as transactions from dispatch.notifications
     where event_key = $1 and failure_reason = 'digested'`,
    [event_key],
  )
  expect(rows).toEqual([{ transactions: 3 }])
})

test('items of a batch and of single requests at the same moment are in exactly one digest', async () => {
  const { event_key, phone } = await fresh({ window: { seconds: 3600 }, show: 1 })
  const requests = Array.from({ length: 40 }, (_, at) => itemOf(event_key, phone, String(at)))
  // Their templates are rendered one after the other: one that waits for long is refused for now, also within a batch.
  const untilAccepted = (path: string, body: object) => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    return eventually(async () => {
      const answer = await env.api('POST', path, { body, headers })
      expect([answer.status, answer.text]).toEqual([202, expect.not.stringContaining('"error"')])
    })
  }
  await Promise.all([
    ...[0, 1].map(() => untilAccepted('/api/v1/notifications/batch', { requests })),
    ...requests.map((one) => untilAccepted('/api/v1/notifications', one)),
  ])
  expect(await digestsOf(event_key)).toMatchObject([{ joined: 120 }])
  await close(event_key)
  await untilTexts(phone, [expect.stringMatching(/: 120, \d+ and 119 more$/) as unknown as string])
})
