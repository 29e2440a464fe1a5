import { expect, test } from '@jest/globals'
import { type ApiResponse, eventually } from '@notify/dev-env'
import { expectProblem, post, postUntilTaken } from '@notify/test-kit/api'
import { addApplication, addKey } from '@notify/test-kit/callers'
import { freshPhone, smsTo } from '@notify/test-kit/sms'
import { holdKey } from '../hold-key.ts'
import { env } from './stack.ts'

const withKey = (key: string) => ({ headers: { 'idempotency-key': key } })

async function accepted(): Promise<number> {
  const { rows } = await env.admin.query('select count(*)::int as count from dispatch.notifications')
  return rows[0].count
}

test('a repetition gets the first answer again, byte for byte, and sends nothing', async () => {
  const body = smsTo(freshPhone())
  const first = await post(env, body, withKey('order-1'))
  const before = await accepted()
  const again = await post(env, body, withKey('order-1'))
  expect([first.status, again.status]).toEqual([202, 202])
  expect(again.text).toBe(first.text)
  expect([first.headers.get('idempotent-replayed'), again.headers.get('idempotent-replayed')]).toEqual([null, 'true'])
  expect(await accepted()).toBe(before)
  await eventually(async () =>
    expect(await env.messages({ to: (body.recipient as { phone: string }).phone })).toHaveLength(1),
  )
})

test('an application’s test keys and live keys never replay each other; two test keys do', async () => {
  const body = smsTo(freshPhone())
  const testKeys = await Promise.all(
    [1, 2].map(async () => (await addKey(env, env, { mode: 'test', permissions: ['notifications:send'] })).apiKey),
  )
  const asTest = (index: number, path = '', request: object = body) =>
    env.api('POST', `/api/v1/notifications${path}`, { body: request, key: testKeys[index]!, ...withKey('order-modes') })
  const [tested, repeated] = [await asTest(0), await asTest(1)]
  const live = await post(env, body, withKey('order-modes'))
  expect([tested.status, repeated.text, repeated.headers.get('idempotent-replayed')]).toEqual([
    202,
    tested.text,
    'true',
  ])
  expect([live.status, live.headers.get('idempotent-replayed')]).toEqual([202, null])
  expect(live.body.notification_id).not.toBe(tested.body.notification_id)
  // Nor is another body a conflict; and the same goes for a batch.
  expect((await asTest(0, '/batch', { requests: [body] })).headers.get('idempotent-replayed')).toBeNull()
  const batch = await env.api('POST', '/api/v1/notifications/batch', {
    body: { requests: [body, body] },
    ...withKey('order-modes'),
  })
  expect([batch.status, batch.headers.get('idempotent-replayed')]).toEqual([202, null])
})

test('the order of the fields and what is the default make no other body', async () => {
  const phone = freshPhone()
  const first = await post(env, smsTo(phone), withKey('order-2'))
  const raw = `{ "priority": "transactional", "body": "Your table is ready.", "recipient": {"phone":"${phone}"}, "channel": "sms" }`
  const again = await env.api('POST', '/api/v1/notifications', { raw, ...withKey('order-2') })
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
})

test('another body under the same key is 409 idempotency_conflict, whatever else is wrong with it', async () => {
  await post(env, smsTo(freshPhone()), withKey('order-3'))
  for (const other of [
    smsTo(freshPhone()),
    smsTo('not a phone'),
    { channel: 'sms', event_key: 'no.such.event', recipient: { phone: freshPhone() } },
    smsTo(freshPhone(), { priority: 'bulk' }),
  ]) {
    expectProblem(await post(env, other, withKey('order-3')), 409, 'idempotency_conflict')
  }
  expectProblem(await post(env, { channel: 'sms' }, withKey('order-3')), 422, 'validation_failed')
})

test('of many at the same moment one is accepted, and all get its answer', async () => {
  const phone = freshPhone()
  const before = await accepted()
  const repeat = () => postUntilTaken(env, '/api/v1/notifications', smsTo(phone), withKey('order-4'))
  const answers = await Promise.all(Array.from({ length: 30 }, repeat))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  // All of them are replayed when the first answer came too late on a busy machine.
  const replayed = answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')
  expect(replayed.length).toBeGreaterThanOrEqual(29)
  expect(await accepted()).toBe(before + 1)
})

test('of many with different bodies at the same moment one is accepted, the others conflict', async () => {
  const answers = await Promise.all(
    Array.from({ length: 12 }, () =>
      postUntilTaken(env, '/api/v1/notifications', smsTo(freshPhone()), withKey('order-5')),
    ),
  )
  const codes = answers.map(({ status, body }) => (status === 202 ? 'accepted' : body.code)).sort()
  expect(codes).toEqual(['accepted', ...Array(11).fill('idempotency_conflict')])
})

const scope = () => `${env.tenantId} ${env.applicationId} POST /api/v1/notifications`

test('a key that another process works on is waited for, then 409 idempotency_in_progress', async () => {
  const holder = await holdKey(env, { scope: scope(), key: 'order-6' })
  try {
    expectProblem(await post(env, smsTo(freshPhone()), withKey('order-6')), 409, 'idempotency_in_progress')
  } finally {
    await holder.giveUp()
  }
  const free = await postUntilTaken(env, '/api/v1/notifications', smsTo(freshPhone()), withKey('order-6'))
  expect(free.status).toBe(202)
})

test('a key that another process gives up while a request waits for it is the request’s', async () => {
  // It waits for three seconds. If the key was given up later, all is repeated.
  await eventually(async () => {
    const key = `order-13-${crypto.randomUUID()}`
    const holder = await holdKey(env, { scope: scope(), key })
    const waiting = post(env, smsTo(freshPhone()), withKey(key))
    // Once another request has been through, this one waits.
    const other = await post(env, smsTo(freshPhone())).finally(() => holder.giveUp())
    expect([other.status, (await waiting).status]).toEqual([202, 202])
  })
})

test('repetitions of a key that stays held keep nobody else waiting, and succeed once it is free', async () => {
  const holder = await holdKey(env, { scope: scope(), key: 'order-12' })
  const body = smsTo(freshPhone())
  const repeat = () => post(env, body, withKey('order-12'))
  try {
    const repetitions: Promise<ApiResponse>[] = []
    let passed = 0
    for (let n = 0; n < 20; n++) {
      let isOver = false
      const end = () => {
        isOver = true
      }
      repetitions.push(repeat().finally(end))
      const others = await Promise.all([
        post(env, smsTo(freshPhone())),
        post(env, smsTo(freshPhone()), withKey(`free-${n}`)),
      ])
      passed += Number(!isOver)
      expect(others.map(({ status }) => status)).toEqual([202, 202])
    }
    // The repetition waits three seconds for the key; in a few rounds a busy machine may take them for the others.
    expect(passed).toBeGreaterThanOrEqual(15)
    const answers = await Promise.all(repetitions)
    // A busy machine may have no time left to wait for the key.
    for (const { status, body } of answers)
      expect(['idempotency_in_progress', 'service_unavailable']).toContain(status === 202 ? 'accepted' : body.code)
  } finally {
    await holder.giveUp()
  }
  expect((await repeat()).status).toBe(202)
})

test('a replay survives the deactivation of the event', async () => {
  const body = {
    channel: 'sms',
    event_key: 'order.shipped',
    recipient: { phone: freshPhone() },
    data: { name: 'Ada', order: 'A-1' },
  }
  const first = await post(env, body, withKey('order-7'))
  await env.admin.query(`update dispatch.events set status = 'inactive' where event_key = 'order.shipped'`)
  await eventually(async () => expectProblem(await post(env, body), 404, 'event_not_found'))
  const again = await post(env, body, withKey('order-7'))
  expect([again.status, again.text, again.headers.get('idempotent-replayed')]).toEqual([202, first.text, 'true'])
  await env.admin.query(`update dispatch.events set status = 'published' where event_key = 'order.shipped'`)
})

test('the same key of another application is another key', async () => {
  const other = await addApplication(env)
  const body = smsTo(freshPhone())
  const ours = await post(env, body, withKey('order-8'))
  const theirs = await post(env, body, { key: other.apiKey, ...withKey('order-8') })
  expect(theirs.status).toBe(202)
  expect(theirs.headers.get('idempotent-replayed')).toBeNull()
  expect(theirs.body.notification_id).not.toBe(ours.body.notification_id)
})

test('only what succeeded is kept: after a refusal the key is free for another body', async () => {
  const refusals: [object, number][] = [
    [smsTo('not a phone'), 422],
    [{ channel: 'sms', event_key: 'no.such.event', recipient: { phone: freshPhone() } }, 404],
    [{ channel: 'sms' }, 422],
  ]
  for (const [body, status] of refusals) expect((await post(env, body, withKey('order-9'))).status).toBe(status)
  const good = await post(env, smsTo(freshPhone()), withKey('order-9'))
  expect([good.status, good.headers.get('idempotent-replayed')]).toEqual([202, null])
})

test('after 24 hours a key is new again', async () => {
  const body = smsTo(freshPhone())
  const first = await post(env, body, withKey('order-10'))
  await env.admin.query(
    `update dispatch.idempotency_keys set expires_at = now() - interval '1 second' where key = 'order-10'`,
  )
  const later = await post(env, body, withKey('order-10'))
  expect([later.status, later.headers.get('idempotent-replayed')]).toEqual([202, null])
  expect(later.body.notification_id).not.toBe(first.body.notification_id)
  expect((await post(env, body, withKey('order-10'))).text).toBe(later.text)
})

test('255 characters of every visible kind are a key', async () => {
  const visible = Array.from({ length: 94 }, (_, i) => String.fromCharCode(0x21 + i)).join('')
  const key = visible.repeat(3).slice(0, 255)
  const body = smsTo(freshPhone())
  const first = await post(env, body, withKey(key))
  const again = await post(env, body, withKey(key))
  expect([first.status, again.text]).toEqual([202, first.text])
})

test('the stored digest of a body reveals nothing of it', async () => {
  const phone = freshPhone()
  await post(env, smsTo(phone, { body: 'a secret' }), withKey('order-11'))
  const { rows } = await env.admin.query(
    `select row_to_json(k)::text as text from dispatch.idempotency_keys k where key = 'order-11'`,
  )
  expect(rows[0].text).not.toMatch(new RegExp(`secret|${phone.slice(1)}`))
  expect(JSON.parse(rows[0].text).fingerprint).toMatch(/^[\w-]{43}$/)
})
