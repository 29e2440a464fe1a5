import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type ApiRequest, eventually, TestEnv } from '@notify/dev-env'
import { expectProblem, post, untilState } from '@notify/test-kit/api'
import { addApplication, addKey } from '@notify/test-kit/callers'
import { freshPhone, smsTo } from '@notify/test-kit/sms'

let env: TestEnv
beforeAll(async () => {
  env = await TestEnv.start(['gateway', 'dispatch', 'callbacks'], {
    apart: ['dispatch-worker'],
    env: { all: { BROADCAST_RATE: '100000', MEMBERS_PER_LIST: '1500', BROADCASTS_PER_TENANT: '5' } },
  })
})
afterAll(() => env?.stop())

const lists = (method: string, path = '', body?: object, request: ApiRequest = {}) =>
  env.api(method, `/api/v1/lists${path}`, { ...request, ...(body && { body }) })
const addList = async (): Promise<string> => (await lists('POST', '', { name: 'Customers' })).body.list_id

const freshUsers = (count: number) => Array.from({ length: count }, () => `user-${crypto.randomUUID()}`)
const idOf = (user_id: string) => ({ user_id })

/** Saves users with a number each. @returns the number of each */
async function addUsers(users: readonly string[]): Promise<Map<string, string>> {
  const phones = new Map(users.map((user) => [user, freshPhone()]))
  const put = async ([user, phone]: [string, string]) =>
    expect((await env.api('PUT', `/api/v1/users/${user}`, { body: { phone } })).status).toBe(200)
  for (const group of Map.groupBy([...phones].entries(), ([at]) => Math.floor(at / 50)).values())
    await Promise.all(group.map(([, user]) => put(user)))
  return phones
}

async function listOf(users: readonly string[]): Promise<string> {
  const id = await addList()
  for (let at = 0; at < users.length; at += 1000)
    expect((await lists('PUT', `/${id}/members`, { members: users.slice(at, at + 1000).map(idOf) })).status).toBe(200)
  return id
}

const content = { channel: 'sms', body: 'We have moved.' }
async function broadcastTo(listId: string, body: object = content): Promise<string> {
  const answer = await lists('POST', `/${listId}/notifications`, body)
  expect([answer.status, answer.body.status]).toEqual([202, 'running'])
  return answer.body.broadcast_id
}
const progressOf = async (id: string) => (await env.api('GET', `/api/v1/broadcasts/${id}`)).body
const until = (id: string, expected: object) =>
  eventually(async () => expect(await progressOf(id)).toMatchObject(expected), { timeoutMs: 60_000 })
const control = (id: string, verb: string, request: ApiRequest = {}) =>
  env.api('POST', `/api/v1/broadcasts/${id}/${verb}`, request)

/** How many notifications each member has, and in which states. */
async function notificationsOf(broadcastId: string) {
  const { rows } = await env.admin.query(
    `select status, failure_reason, count(*)::int as count, count(distinct user_index)::int as users
     from dispatch.notifications where broadcast_id = $1 group by 1, 2 order by 1`,
    [broadcastId],
  )
  return rows
}
const acceptedOf = async (id: string) => (await notificationsOf(id)).reduce((sum, { count }) => sum + count, 0)

describe('a list', () => {
  test('is created, renamed and deleted', async () => {
    const { status, body } = await lists('POST', '', { name: ' Customers ' })
    expect([status, body]).toMatchObject([201, { name: 'Customers', member_count: 0, mode: 'live' }])
    const path = `/${body.list_id}`
    expect((await lists('PATCH', path, { name: 'Guests' })).body).toMatchObject({ name: 'Guests' })
    expect((await lists('GET', '?limit=1')).body.items).toMatchObject([{ list_id: body.list_id, name: 'Guests' }])
    expect((await lists('DELETE', path)).status).toBe(204)
    for (const method of ['GET', 'DELETE']) expectProblem(await lists(method, path), 404, 'list_not_found')
    expect((await lists('GET')).text).not.toContain(body.list_id)
  })

  test('counts each member once, and is exported whole', async () => {
    const id = await addList()
    const users = freshUsers(1000)
    const first = await lists('PUT', `/${id}/members`, { members: users.map(idOf) })
    expect(first.body).toEqual({ added: 1000, member_count: 1000 })
    const [one = '', another = ''] = users
    const again = {
      members: [{ user_id: one, data: { name: 'Ada' } }, idOf(freshUsers(1)[0]!), idOf(one), idOf(another)],
    }
    const second = await lists('PUT', `/${id}/members`, again)
    expect(second.body).toEqual({ added: 1, member_count: 1001 })
    const remove = () => lists('DELETE', `/${id}/members?user_id=${another}`)
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 404])
    expect((await lists('GET', `/${id}`)).body.member_count).toBe(1000)
    const found: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await lists('GET', `/${id}/members?limit=600${cursor && `&cursor=${cursor}`}`)
      found.push(...body.items.map(({ user_id }: { user_id: string }) => user_id))
      if (body.next_cursor === null) break
      cursor = body.next_cursor
    }
    expect(new Set(found).size).toBe(1000)
    expect(found).toHaveLength(1000)
    expect(found).toContain(one)
    expect(found).not.toContain(another)
  })

  test('imports at the same moment count each member once', async () => {
    const id = await addList()
    const members = freshUsers(300).map(idOf)
    const all = [members, members.toReversed(), members.slice(100), members.slice(0, 200).toReversed()]
    const answers = await Promise.all(all.map((part) => lists('PUT', `/${id}/members`, { members: part })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(answers.reduce((sum, { body }) => sum + body.added, 0)).toBe(300)
    expect((await lists('GET', `/${id}`)).body.member_count).toBe(300)
  })

  test('has a largest number of members, and of members in an import', async () => {
    const id = await listOf(freshUsers(1000))
    expectProblem(
      await lists('PUT', `/${id}/members`, { members: freshUsers(501).map(idOf) }),
      409,
      'member_limit_reached',
    )
    for (const members of [[], freshUsers(1001).map(idOf), [{ user_id: 'ada', data: { text: 'x'.repeat(5000) } }]])
      expectProblem(await lists('PUT', `/${id}/members`, { members }), 422, 'validation_failed')
  })

  test('is seen by its application and key mode alone, and by operators', async () => {
    const id = await listOf(freshUsers(1))
    const application = await addApplication(env)
    const { apiKey: other } = await addKey(env, application, { permissions: ['lists:manage'] })
    const { apiKey: tested } = await addKey(env, env, { mode: 'test', permissions: ['lists:manage'] })
    const { apiKey: weak } = await addKey(env, env, { permissions: ['notifications:send', 'recipients:manage'] })
    for (const key of [other, tested]) {
      expectProblem(await lists('GET', `/${id}`, undefined, { key }), 404, 'list_not_found')
      expectProblem(await lists('POST', `/${id}/notifications`, content, { key }), 404, 'list_not_found')
      expect((await lists('GET', '', undefined, { key })).body.items).toEqual([])
    }
    expectProblem(await lists('GET', `/${id}`, undefined, { key: weak }), 403, 'permission_denied')
    expect((await lists('GET', `/${id}`, undefined, { token: env.operatorToken })).status).toBe(200)
  })

  test('and its broadcasts are filtered by mode for operators', async () => {
    const { apiKey: key } = await addKey(env, env, {
      mode: 'test',
      permissions: ['lists:manage', 'notifications:send'],
    })
    const [live, tested] = [
      await listOf(freshUsers(1)),
      (await lists('POST', '', { name: 'Tried' }, { key })).body.list_id,
    ]
    const started = await lists('POST', `/${tested}/notifications`, content, { key })
    expect(started.status).toBe(202)
    const asOperator = { token: env.operatorToken }
    const idsOf = async (query: string) => {
      const { body } = await lists('GET', `?limit=100${query}`, undefined, asOperator)
      return body.items.map((list: { list_id: string }) => list.list_id)
    }
    expect(await idsOf('')).toEqual(expect.arrayContaining([live, tested]))
    expect(await idsOf('&mode=test')).toContain(tested)
    expect(await idsOf('&mode=test')).not.toContain(live)
    expect(await idsOf('&mode=live')).not.toContain(tested)
    const broadcasts = (mode: string) => env.api('GET', `/api/v1/broadcasts?list_id=${tested}&mode=${mode}`, asOperator)
    expect((await broadcasts('test')).body.items).toMatchObject([{ broadcast_id: started.body.broadcast_id }])
    expect((await broadcasts('live')).body.items).toEqual([])
  })
})

describe('a broadcast', () => {
  test('sends one notification to each member that has an address, with the data of the member', async () => {
    const [ada = '', bob = '', ...strangers] = freshUsers(5)
    const phones = await addUsers([ada, bob])
    const listId = await listOf(strangers)
    await lists('PUT', `/${listId}/members`, { members: [{ user_id: ada, data: { name: 'Ada' } }, idOf(bob)] })
    const id = await broadcastTo(listId, {
      channel: 'sms',
      event_key: 'order.shipped',
      data: { name: 'you', order: '7' },
    })
    await until(id, { status: 'completed', total: 5, accepted: 2, refused: 3, refusals: { recipient_unknown: 3 } })
    const texts = async (user: string) =>
      eventually(async () => {
        const messages = await env.messages({ to: phones.get(user)! })
        expect(messages).toHaveLength(1)
        return messages[0]!.text
      })
    expect(await texts(ada)).toContain('Ada')
    expect(await texts(bob)).toContain('you')
    expect((await progressOf(id)).finished_at).not.toBeNull()
    const activity = (filter: string) =>
      env.api('GET', `/api/v1/activity?broadcast_id=${id}${filter}`, { token: env.operatorToken })
    await eventually(async () =>
      expect((await activity('&status=delivered')).body).toMatchObject({
        total_count: 2,
        items: [{ broadcast_id: id }, { broadcast_id: id }],
      }),
    )
    expect((await activity('&status=failed')).body.total_count).toBe(0)
  })

  test('is made once for each Idempotency-Key, and listed', async () => {
    const listId = await listOf(freshUsers(1))
    const request = { headers: { 'idempotency-key': crypto.randomUUID() } }
    const [first, again] = [
      await lists('POST', `/${listId}/notifications`, content, request),
      await lists('POST', `/${listId}/notifications`, content, request),
    ]
    expect(again.text).toBe(first.text)
    const { body } = await env.api('GET', `/api/v1/broadcasts?list_id=${listId}`, { token: env.operatorToken })
    expect(body.items).toMatchObject([{ broadcast_id: first.body.broadcast_id }])
  })

  test.each([
    ['a recipient', { ...content, recipient: { user_id: 'ada' } }, 422, 'validation_failed'],
    ['an address', { ...content, recipient: '+15551230001' }, 422, 'validation_failed'],
    ['copies', { channel: 'email', subject: 'x', body: 'x', cc: 'ada@shop.example' }, 422, 'validation_failed'],
    ['no content', { channel: 'sms' }, 422, 'validation_failed'],
    [
      'much metadata',
      { ...content, metadata: Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [n, ''])) },
      422,
      'validation_failed',
    ],
    ['an unknown field', { ...content, colour: 'red' }, 422, 'validation_failed'],
    ['a channel that reaches no person', { channel: 'webhook', event_key: 'order.shipped' }, 422, 'validation_failed'],
    ['a past time', { ...content, send_at: '2020-01-01T00:00:00Z' }, 422, 'validation_failed'],
    ['an unknown event', { channel: 'sms', event_key: 'no.such' }, 404, 'event_not_found'],
    ['another channel of the event', { channel: 'sms', event_key: 'invoice.ready' }, 422, 'channel_not_allowed'],
  ])('with %s is refused as a whole', async (_what, body, status, code) => {
    const listId = await listOf(freshUsers(1))
    expectProblem(await lists('POST', `/${listId}/notifications`, body), status, code)
  })

  test('is paused, resumed and cancelled; a member that is added later is not part of it', async () => {
    const users = freshUsers(450)
    await addUsers(users)
    const listId = await listOf(users)
    const later = { ...content, send_at: new Date(Date.now() + 3_600_000).toISOString() }
    const id = await broadcastTo(listId, later)
    expect((await control(id, 'pause')).body.status).toBe('paused')
    expectProblem(await control(id, 'pause'), 409, 'broadcast_not_running')
    const late = freshUsers(1)
    await addUsers(late)
    await lists('PUT', `/${listId}/members`, { members: late.map(idOf) })
    expect((await control(id, 'resume', { token: env.operatorToken })).body.status).toBe('running')
    expectProblem(await control(id, 'resume', { token: env.operatorTokenNoRetry }), 403, 'permission_denied')
    await until(id, { status: 'completed', accepted: 450 })
    expect(await notificationsOf(id)).toEqual([{ status: 'scheduled', failure_reason: null, count: 450, users: 450 }])
    expect((await control(id, 'cancel')).body.status).toBe('cancelled')
    for (const verb of ['pause', 'resume', 'cancel'])
      expectProblem(await control(id, verb), 409, 'broadcast_not_running')
    await env.admin.query('update dispatch.notifications set next_attempt_at = now() where broadcast_id = $1', [id])
    const ended = { status: 'cancelled', failure_reason: 'broadcast_cancelled', count: 450, users: 450 }
    await eventually(async () => expect(await notificationsOf(id)).toEqual([ended]), { timeoutMs: 30_000 })
  })

  test('has a limit of open ones for each tenant', async () => {
    const listId = await listOf(freshUsers(1))
    await env.kill('dispatch-worker')
    const ids = []
    for (let count = 0; count < 5; count++) ids.push(await broadcastTo(listId))
    expectProblem(await lists('POST', `/${listId}/notifications`, content), 409, 'broadcast_limit_reached')
    expect((await control(ids[0]!, 'cancel')).status).toBe(200)
    ids.push(await broadcastTo(listId))
    await env.restart('dispatch-worker')
    for (const id of ids.slice(1)) await until(id, { status: 'completed' })
  })

  test('of a required topic does not wait for the end of quiet hours', async () => {
    const [user = ''] = freshUsers(1)
    const clock = (ms: number) => new Date(Date.now() + ms).toISOString().slice(11, 16)
    const quiet_hours = { start: clock(-3_600_000), end: clock(3_600_000) }
    const phone = freshPhone()
    await env.api('PUT', `/api/v1/users/${user}`, { body: { phone, timezone: 'UTC', quiet_hours } })
    const topic = { topic_key: 'safety', name: 'Safety', description: 'Dangers', kind: 'required', channels: ['sms'] }
    const path = `/api/v1/applications/${env.applicationId}/topics`
    expect((await env.api('POST', path, { token: env.operatorToken, body: topic })).status).toBe(201)
    const listId = await listOf([user])
    const [held, sent] = [await broadcastTo(listId), await broadcastTo(listId, { ...content, topic: 'safety' })]
    for (const id of [held, sent]) await until(id, { status: 'completed', accepted: 1 })
    await eventually(async () => expect(await notificationsOf(sent)).toMatchObject([{ status: 'delivered', count: 1 }]))
    expect(await notificationsOf(held)).toMatchObject([{ status: 'queued', count: 1 }])
    expect(await env.messages({ to: phone })).toHaveLength(1)
  })

  test('that waits for the end of quiet hours expires; a channel that cannot keep that refuses it', async () => {
    const [user = ''] = freshUsers(1)
    const hourOf = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16)
    const quiet = { timezone: 'UTC', quiet_hours: { start: hourOf(-1), end: hourOf(2) } }
    await env.api('PUT', `/api/v1/users/${user}`, { body: { phone: freshPhone(), ...quiet } })
    const list = await listOf([user])
    const expires_at = new Date(Date.now() + 1500).toISOString()
    const id = await broadcastTo(list, { ...content, expires_at })
    await until(id, { status: 'completed', accepted: 1 })
    const expected = [{ status: 'cancelled', failure_reason: 'expired', count: 1, users: 1 }]
    await eventually(async () => expect(await notificationsOf(id)).toEqual(expected))
    const inApp = { channel: 'in_app', title: 'News', body: 'We have moved.' }
    const kept = { ...inApp, expires_at: new Date(Date.now() + 3_600_000).toISOString() }
    expectProblem(await lists('POST', `/${list}/notifications`, kept), 422, 'validation_failed')
  })

  test('ends when its list is deleted', async () => {
    const listId = await listOf(freshUsers(1))
    const id = await broadcastTo(listId)
    await lists('DELETE', `/${listId}`)
    await eventually(async () => expect(['cancelled', 'completed']).toContain((await progressOf(id)).status))
  })
})

describe('a worker that is killed', () => {
  let users: string[]
  let listId: string
  beforeAll(async () => {
    users = freshUsers(450)
    await addUsers(users)
    listId = await listOf(users)
  })

  /** The lease of a killed worker ends. */
  const timePasses = (id: string) =>
    env.admin.query(`update dispatch.broadcasts set next_page_at = now() where id = $1 and status = 'running'`, [id])
  const dies = async () => {
    await env.kill('dispatch-worker')
    await env.admin.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where usename = 'dispatch' and datname = current_database() and state <> 'idle'`,
    )
  }
  const recovers = async (id: string) => {
    await env.restart('dispatch-worker')
    await timePasses(id)
    await until(id, { status: 'completed', total: 450, accepted: 450, refused: 0 })
    const rows = await notificationsOf(id)
    expect(rows.reduce((sum, { users: some }) => sum + some, 0)).toBe(450)
    expect(await acceptedOf(id)).toBe(450)
  }

  test('after it took a page, before it accepted any member', async () => {
    const client = await env.admin.connect()
    await client.query('begin; lock table dispatch.list_members in access exclusive mode')
    const id = await broadcastTo(listId)
    await eventually(async () => {
      const { rows } = await env.admin.query(
        'select next_page_at > now() as taken from dispatch.broadcasts where id = $1',
        [id],
      )
      expect(rows).toEqual([{ taken: true }])
    })
    await dies()
    await client.query('rollback')
    client.release()
    expect(await acceptedOf(id)).toBe(0)
    await recovers(id)
  })

  test('after it accepted some members of a page', async () => {
    const id = await broadcastTo(listId)
    await eventually(async () => expect(await acceptedOf(id)).toBeGreaterThan(0), { intervalMs: 2 })
    await dies()
    await recovers(id)
  })

  test('after it accepted a page, before it counted it', async () => {
    const client = await env.admin.connect()
    const id = await broadcastTo(listId)
    let whole = 0
    // Held in the middle of a page: between two, nobody could take the next one.
    await eventually(
      async () => {
        await client.query('rollback; begin')
        const { rows } = await client.query('select pages from dispatch.broadcasts where id = $1 for update', [id])
        expect(await acceptedOf(id)).toBeGreaterThan(rows[0].pages * 200)
        whole = Math.min(450, (rows[0].pages + 1) * 200)
      },
      { intervalMs: 2 },
    )
    await eventually(async () => expect(await acceptedOf(id)).toBe(whole))
    await dies()
    await client.query('rollback')
    client.release()
    expect((await progressOf(id)).accepted).toBeLessThan(whole)
    await recovers(id)
  })

  test.each([
    ['the page is repeated', 'completed'],
    ['it is cancelled', 'cancelled'],
    ['its list is deleted', 'cancelled'],
  ])('counts whom it accepted, also those removed from the list before %s', async (what, status) => {
    const members = freshUsers(3)
    await addUsers(members)
    const id = await listOf(members)
    const broadcast = await broadcastTo(id)
    await until(broadcast, { status: 'completed', accepted: 3 })
    // As if it had been killed before it counted the page.
    await env.admin.query(
      `update dispatch.broadcasts set status = 'running', pages = 0, reached = null, accepted = 0, finished_at = null,
         next_page_at = now() + interval '1 minute' where id = $1`,
      [broadcast],
    )
    expect((await lists('DELETE', `/${id}/members?user_id=${members[1]}`)).status).toBe(204)
    if (what === 'it is cancelled') expect((await control(broadcast, 'cancel')).status).toBe(200)
    if (what === 'its list is deleted') expect((await lists('DELETE', `/${id}`)).status).toBe(204)
    await env.admin.query('update dispatch.broadcasts set next_page_at = now() where id = $1', [broadcast])
    await until(broadcast, { status, accepted: 3, refused: 0 })
    expect(await acceptedOf(broadcast)).toBe(3)
  })

  test('at any time, again and again', async () => {
    const id = await broadcastTo(listId)
    for (let round = 0; round < 4; round++) {
      const before = await acceptedOf(id)
      await eventually(async () => expect((await acceptedOf(id)) > before || before === 450).toBe(true), {
        intervalMs: 2,
      })
      await dies()
      await env.restart('dispatch-worker')
      await timePasses(id)
    }
    await recovers(id)
  })

  test('while it moves messages to the end of quiet hours: none is lost or sent', async () => {
    const [user = ''] = freshUsers(1)
    const phone = freshPhone()
    const clock = (ms: number) => new Date(Date.now() + ms).toISOString().slice(11, 16)
    const quiet_hours = { start: clock(-3_600_000), end: clock(3_600_000) }
    const put = (body: object) => env.api('PUT', `/api/v1/users/${user}`, { body: { phone, ...body } })
    await put({ timezone: 'UTC', quiet_hours })
    const send = async () =>
      (await post(env, smsTo('', { recipient: { user_id: user } }))).body.notification_id as string
    const ids = await Promise.all(Array.from({ length: 60 }, send))
    await dies()
    await env.restart('dispatch-worker')
    const waiting = `select count(*)::int as count from dispatch.notifications where id = any($1) and next_attempt_at is not null and attempt_count = 0`
    await env.admin.query(`update dispatch.attempts set lease_until = now() where notification_id = any($1)`, [ids])
    await eventually(
      async () => {
        const { rows } = await env.admin.query(
          `select count(*)::int as count from dispatch.notifications where id = any($1) and not sending and next_attempt_at is not null`,
          [ids],
        )
        expect(rows).toEqual([{ count: 60 }])
      },
      { timeoutMs: 60_000 },
    )
    expect((await env.admin.query(waiting, [ids])).rows[0].count).toBeGreaterThan(0)
    expect(await env.messages({ to: phone })).toEqual([])
    await put({})
    await env.admin.query('update dispatch.notifications set next_attempt_at = now() where id = any($1)', [ids])
    for (const id of ids) await untilState(env, id, { delivery_status: 'delivered' })
    expect(await env.messages({ to: phone })).toHaveLength(60)
  })
})
