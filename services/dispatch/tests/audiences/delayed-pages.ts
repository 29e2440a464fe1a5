import { describe, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { inAnHour, post } from '@notify/test-kit/api'
import { freshAddress } from '@notify/test-kit/email'
import { freshPhone, smsTo } from '@notify/test-kit/sms'
import { broadcastTo, env, freshUsers, listOf, notificationsOf, progressOf, until } from './stack.ts'

/** A commit wakes the worker, which would otherwise look for due pages within seconds. */
const wake = async () => expect((await post(env, smsTo(freshPhone()))).status).toBe(202)

describe('a page of a broadcast', () => {
  test('that fails delays neither itself nor those of other tenants until its lease ends', async () => {
    const id = await broadcastTo(await listOf(freshUsers(1)))
    await until(id, { status: 'completed' })
    await env.admin.query(`
      create function dispatch.fail_for_test() returns trigger language plpgsql as 'begin raise exception ''no''; end';
      create trigger fail_for_test before update of pages on dispatch.broadcasts
        for each row when (old.list_id = 'list_of_test') execute function dispatch.fail_for_test()`)
    try {
      // Of a tenant each, and due since an hour: one round claims all of them.
      await env.admin.query(
        `insert into dispatch.broadcasts (id, tenant_id, application_id, mode, list_id, channel, request, total, next_page_at)
         select 'bc_' || gen_random_uuid(), 'ten_' || gen_random_uuid(), application_id, mode, 'list_of_test', channel, request, 1,
           now() - interval '1 hour'
         from dispatch.broadcasts, generate_series(1, 5) where id = $1`,
        [id],
      )
      await wake()
      // The lease is a minute.
      const next = `select count(*)::int as tried from dispatch.broadcasts where list_id = 'list_of_test'
        and next_page_at between now() - interval '1 minute' and now() + interval '6 s'`
      const tried = async () => expect((await env.admin.query(next)).rows).toEqual([{ tried: 5 }])
      await eventually(tried)
    } finally {
      await env.admin.query(`delete from dispatch.broadcasts where list_id = 'list_of_test'`)
      await env.admin.query('drop function dispatch.fail_for_test cascade')
    }
  })

  test('of large emails goes on after the members who are settled, however many of them are refused', async () => {
    const users = freshUsers(14)
    for (const [at, user] of users.entries()) {
      const recipient = freshAddress()
      expect((await env.api('PUT', `/api/v1/users/${user}`, { body: { email: recipient } })).status).toBe(200)
      if (at === 0) continue
      const request = { token: env.operatorToken, body: { channel: 'email', recipient } }
      expect((await env.api('POST', '/api/v1/suppressions', request)).status).toBe(201)
    }
    // Each costs 20 ms of the tenant's budget, which allows 200 ms at a time.
    const texts = { subject: 'News', body: 'x'.repeat(50_000), html_body: `<p>${'x'.repeat(50_000)}</p>` }
    const id = await broadcastTo(await listOf(users), { channel: 'email', ...texts, send_at: inAnHour() })
    await eventually(async () => {
      await env.admin.query(
        `update dispatch.broadcasts set next_page_at = now() where id = $1 and next_page_at < now() + interval '6 s'`,
        [id],
      )
      await wake()
      expect(await progressOf(id)).toMatchObject({ status: 'completed', accepted: 1, refused: 13 })
    })
    expect(await notificationsOf(id)).toEqual([{ status: 'scheduled', failure_reason: null, count: 1, users: 1 }])
  })
})
