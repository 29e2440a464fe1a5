import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { inboxRequested, newId } from '@notify/contracts'
import { eventually, TestEnv } from '@notify/dev-env'
import { untilActivity } from '@notify/test-kit/activity'
import { becomeDue, expectProblem, inAnHour, post, stateOf, untilState } from '@notify/test-kit/api'
import { openBus, storedMessages } from '@notify/test-kit/bus'
import { freshUser, inbox, sendInApp, sendInAppUntilTaken, untilInbox, userToken } from '@notify/test-kit/inbox'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'inbox-stream'], {
    apart: ['inbox-stream'],
    env: { 'dispatch-worker': { STALLED_AFTER: '1s' } },
  })
})
afterAll(() => env?.stop())

test('a notification goes to the inbox and is delivered, with what it shows as it was sent', async () => {
  const user = freshUser()
  const data = {
    action_url: '/orders/7',
    avatar_url: 'https://cdn.example/a.png',
    category: 'orders',
    more: { a: [1] },
  }
  const id = await sendInApp(env, user, { title: 'Order 7', body: 'It is on its way', data })
  await untilState(env, id, { delivery_status: 'delivered', channel: 'in_app', attempts: [], credits: 0 })
  const token = await userToken(env, user)
  const { notifications, unread_count } = await untilInbox(env, token, 1)
  expect(unread_count).toBe(1)
  expect(notifications).toEqual([
    {
      id: expect.stringMatching(/^inapp_/),
      title: 'Order 7',
      body: 'It is on its way',
      is_read: false,
      locale: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/),
      data,
    },
  ])
  const item = await untilActivity(env, id, { status: 'delivered' })
  expect(item.recipient_masked).not.toContain(user)
})

test('an event fills title, body and display data; of its variables only the display fields are shown', async () => {
  const user = freshUser()
  const data = { name: 'Ada', order: 'A-1', category: 'orders' }
  await sendInApp(env, user, { event_key: 'order.shipped', title: undefined, body: undefined, data })
  const { notifications } = await untilInbox(env, await userToken(env, user), 1)
  expect(notifications[0]).toMatchObject({
    title: 'Order A-1 shipped',
    body: 'Hi Ada, your order is on its way.',
    data: { action_url: '/orders/A-1', category: 'orders' },
  })
  expect(notifications[0].data).not.toHaveProperty('name')
})

test('a scheduled notification comes when it is due, and never when it was cancelled', async () => {
  const [user, other] = [freshUser(), freshUser()]
  const cancelled = await sendInApp(env, other, { send_at: inAnHour() })
  expect((await env.api('POST', `/api/v1/notifications/${cancelled}/cancel`)).status).toBe(200)
  const id = await sendInApp(env, user, { send_at: inAnHour() })
  await becomeDue(env, cancelled, id)
  await untilState(env, id, { delivery_status: 'delivered' })
  expect((await inbox(env, await userToken(env, other))).body.notifications).toEqual([])
  expect((await stateOf(env, cancelled)).delivery_status).toBe('cancelled')
})

test('a hand-off that JetStream lost is repeated, and one that comes twice is stored once', async () => {
  const user = freshUser()
  const token = await userToken(env, user)
  await using bus = await openBus(env)
  await env.kill('inbox-stream')
  const lost = await sendInApp(env, user)
  await eventually(async () => {
    const messages = await storedMessages(bus, ['dispatch'])
    expect(messages.some(({ text, subject }) => subject.startsWith('dispatch.inbox.') && text.includes(lost))).toBe(
      true,
    )
  })
  await bus.jsm.streams.purge('DISPATCH', { filter: 'dispatch.inbox.>' })
  await env.restart('inbox-stream')
  await untilState(env, lost, { delivery_status: 'delivered' })
  const again = await sendInApp(env, user)
  await untilState(env, again, { delivery_status: 'delivered' })
  const handOffs = (await storedMessages(bus, ['dispatch'])).filter(({ subject }) =>
    subject.startsWith('dispatch.inbox.'),
  )
  const { connection } = bus
  for (const { text, subject } of handOffs) {
    // As another message: the duplicate window would drop the same one.
    await bus.js.publish(subject, text, { msgID: newId('msg') })
  }
  await connection.flush()
  await eventually(async () => {
    const { rows } = await env
      .sql('inbox-stream')
      .query(`select count(*)::int as count from outbox where subject = 'inbox.created' and events like $1`, [
        `%${again}%`,
      ])
    expect(rows[0].count).toBeGreaterThan(1)
  })
  expect((await untilInbox(env, token, 2)).unread_count).toBe(2)
  expect(inboxRequested.subject).toBe('dispatch.inbox.{lane}.requested')
})

test('hand-offs that NATS refuses are not written again while they wait, and each arrives once', async () => {
  await using bus = await openBus(env)
  const limitMessages = (max_msg_size: number) => bus.jsm.streams.update('DISPATCH', { max_msg_size })
  const sql = env.sql('dispatch')
  const ofInbox = `subject like 'dispatch.inbox.%' and strpos(events, $1) > 0`
  const timesWritten = async (id: string) => (await sql.query(`select from outbox where ${ofInbox}`, [id])).rows.length
  const users = Array.from({ length: 4 }, freshUser)
  const ids: string[] = []
  // As when its store is full.
  await limitMessages(1)
  try {
    for (const user of users) ids.push(await sendInAppUntilTaken(env, user))
    const [lost, ...waiting] = ids as [string, ...string[]]
    for (const times of [2, 3, 4]) {
      await eventually(async () => {
        const young = `select from in_flight where id = any($1) and enqueued_at > now() - interval '1 second'`
        expect((await sql.query(young, [waiting])).rows).toEqual([])
      })
      // One that is lost and older than the others shows that a round has passed.
      await sql.query(`update outbox set published_at = now() where published_at is null and ${ofInbox}`, [lost])
      await sql.query(`update notifications set enqueued_at = now() - interval '1 hour' where id = $1`, [lost])
      await eventually(async () => expect(await timesWritten(lost)).toBe(times))
    }
    expect(await Promise.all(waiting.map(timesWritten))).toEqual(waiting.map(() => 1))
  } finally {
    await limitMessages(-1)
  }
  for (const id of ids) await untilState(env, id, { delivery_status: 'delivered' })
  for (const user of users) expect((await untilInbox(env, await userToken(env, user), 1)).unread_count).toBe(1)
})

test('sequences of a user have no gap, however many notifications come at once', async () => {
  const users = [freshUser(), freshUser(), freshUser()]
  const tokens = await Promise.all(users.map((user) => userToken(env, user)))
  const sent = Promise.all(Array.from({ length: 90 }, (_, at) => sendInAppUntilTaken(env, users[at % 3]!)))
  const counts: [unread: number, listed: number][] = []
  const untilAll = (token: string) =>
    eventually(async () => {
      const { status, body } = await inbox(env, token, '?limit=100')
      if (status === 200) counts.push([body.unread_count, body.notifications.length])
      expect(body.unread_count).toBe(30)
    })
  await Promise.all([sent, ...tokens.map(untilAll)])
  // Each answer is of one moment: it counts what it lists.
  for (const [unread, listed] of counts) expect(unread).toBe(listed)
  const { rows } = await env.sql('inbox-stream').query(
    `select b.last_seq, array_agg(e.seq order by e.seq) as seqs, b.unread_count,
       (array_agg(e.unread_count order by e.seq)) as counts
     from inboxes b join inbox_events e on e.inbox_key = b.key group by b.key`,
  )
  for (const { last_seq, seqs } of rows) expect(seqs).toEqual(Array.from({ length: last_seq }, (_, at) => at + 1))
})

test('nothing of it can be read in the database or on the bus', async () => {
  const secret = 'unreadable-7f3a'
  const user = `${secret}-user`
  const id = await sendInApp(env, user, { title: secret, body: secret, data: { category: secret } })
  await untilState(env, id, { delivery_status: 'delivered' })
  const tables = ['inboxes', 'inbox_items', 'inbox_events', 'outbox']
  for (const table of tables) {
    const { rows } = await env
      .sql('inbox-stream')
      .query(`select count(*)::int as count from ${table} t where t::text like $1`, [`%${secret}%`])
    expect([table, rows[0].count]).toEqual([table, 0])
  }
  await using bus = await openBus(env)
  expect((await storedMessages(bus, ['dispatch', 'inbox-stream'])).filter(({ text }) => text.includes(secret))).toEqual(
    [],
  )
})

test.each<[string, object, string, string]>([
  ['no text as recipient', { recipient: {} }, 'invalid_recipient', 'recipient'],
  ['an empty user id', { recipient: '' }, 'invalid_recipient', 'recipient'],
  ['a user id of 1,000 characters', { recipient: 'u'.repeat(1000) }, 'invalid_recipient', 'recipient'],
  ['a user id with a line break', { recipient: 'a\nb' }, 'invalid_recipient', 'recipient'],
  ['a user id with NUL', { recipient: 'a\0b' }, 'validation_failed', 'recipient'],
  [
    'a link that runs a script',
    { data: { action_url: 'javascript:alert(1)' } },
    'validation_failed',
    'data.action_url',
  ],
  [
    'a link to another host without a scheme',
    { data: { action_url: '//evil.example' } },
    'validation_failed',
    'data.action_url',
  ],
  ['a link with a backslash', { data: { action_url: '/\\evil.example' } }, 'validation_failed', 'data.action_url'],
  ['a picture that is no text', { data: { avatar_url: 7 } }, 'validation_failed', 'data.avatar_url'],
  ['a category of 65 characters', { data: { category: 'c'.repeat(65) } }, 'validation_failed', 'data.category'],
  ['more data than is shown', { data: { text: 'x'.repeat(40_000) } }, 'validation_failed', 'data'],
  ['an empty body', { body: ' ' }, 'validation_failed', 'body'],
])('%s is 422', async (_what, fields, code, path) => {
  const answer = await post(env, { channel: 'in_app', recipient: 'ada', body: 'Hello', ...fields })
  expectProblem(answer, 422, code)
  expect(answer.body.errors[0].path).toBe(path)
})
