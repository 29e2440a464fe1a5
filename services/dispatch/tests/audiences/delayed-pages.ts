import { describe, expect, test } from '@jest/globals'
import { eventually } from '@notify/dev-env'
import { post } from '@notify/test-kit/api'
import { freshPhone, smsTo } from '@notify/test-kit/sms'
import { broadcastTo, env, freshUsers, listOf, until } from './stack.ts'

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
      await eventually(tried, { timeoutMs: 30_000 })
    } finally {
      await env.admin.query(`delete from dispatch.broadcasts where list_id = 'list_of_test'`)
      await env.admin.query('drop function dispatch.fail_for_test cascade')
    }
  })
})
