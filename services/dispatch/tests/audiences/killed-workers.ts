import { beforeAll, describe, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { postUntilTaken, untilState } from '@notify/test-kit/api'
import { freshPhone, smsTo } from '@notify/test-kit/sms'
import {
  acceptedOf,
  addUsers,
  broadcastTo,
  control,
  env,
  freshUsers,
  listOf,
  lists,
  notificationsOf,
  progressOf,
  until,
} from './stack.ts'

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
    // A lock of the row would also keep the worker from taking the page.
    await client.query(`
      create function dispatch.wait_for_test() returns trigger language plpgsql
        as 'begin perform pg_advisory_xact_lock(1); return new; end';
      create trigger wait_for_test before update of pages on dispatch.broadcasts
        for each row execute function dispatch.wait_for_test();
      select pg_advisory_lock(1)`)
    try {
      const id = await broadcastTo(listId)
      await eventually(async () => expect(await acceptedOf(id)).toBe(200))
      await dies()
      expect(await progressOf(id)).toMatchObject({ accepted: 0 })
      await client.query('drop function dispatch.wait_for_test cascade; select pg_advisory_unlock(1)')
      await recovers(id)
    } finally {
      client.release(true)
    }
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
    const send = async () => {
      const { body } = await postUntilTaken(env, '/api/v1/notifications', smsTo('', { recipient: { user_id: user } }))
      return body.notification_id as string
    }
    const ids = await Promise.all(Array.from({ length: 60 }, send))
    await dies()
    await env.restart('dispatch-worker')
    const waiting = `select count(*)::int as count from dispatch.notifications where id = any($1) and next_attempt_at is not null and attempt_count = 0`
    await env.admin.query(`update dispatch.attempts set lease_until = now() where notification_id = any($1)`, [ids])
    await eventually(async () => {
      const { rows } = await env.admin.query(
        `select count(*)::int as count from dispatch.notifications where id = any($1) and not sending and next_attempt_at is not null`,
        [ids],
      )
      expect(rows).toEqual([{ count: 60 }])
    })
    expect((await env.admin.query(waiting, [ids])).rows[0].count).toBeGreaterThan(0)
    expect(await env.messages({ to: phone })).toEqual([])
    await put({})
    await env.admin.query('update dispatch.notifications set next_attempt_at = now() where id = any($1)', [ids])
    for (const id of ids) await untilState(env, id, { delivery_status: 'delivered' })
    expect(await env.messages({ to: phone })).toHaveLength(60)
  })
})
